package classify

import "strings"

// leavesBy holds, by the end of a file's name, the words by which source of that language may
// leave its computation: run a program, touch a file, talk to others, load code, run while it is
// compiled, or reach the language below.
var leavesBy = map[string]*regex{
	".rs": &rustLeaves,
	".c":  &cLeaves, ".h": &cLeaves, ".cc": &cLeaves, ".cpp": &cLeaves, ".hpp": &cLeaves,
	".cxx": &cLeaves, ".hh": &cLeaves,
	".java": &javaLeaves, ".kt": &javaLeaves, ".scala": &javaLeaves,
	".zig": &zigLeaves, ".nim": &nimLeaves, ".cr": &crystalLeaves, ".dart": &dartLeaves,
	".groovy": &javaLeaves, ".clj": &clojureLeaves, ".cljc": &clojureLeaves,
	".hs": &haskellLeaves, ".swift": &swiftLeaves, ".cs": &dotnetLeaves, ".fs": &dotnetLeaves,
	".fsx": &dotnetLeaves,
	".d":   &dLeaves, ".v": &vLeaves, ".odin": &odinLeaves, ".f90": &fortranLeaves,
	".f95": &fortranLeaves, ".pas": &pascalLeaves, ".adb": &adaLeaves, ".ads": &adaLeaves,
	".gleam": &gleamLeaves, ".ml": &ocamlLeaves, ".mli": &ocamlLeaves, ".elm": &elmLeaves,
	".erl": &erlangLeaves, ".hrl": &erlangLeaves,
}

// inputEnds are the ends of the names of files of what programs read from their input.
var inputEnds = map[string]string{"runghc": ".hs", "runhaskell": ".hs", "dotnet fsi": ".fsx",
	"escript": ".erl"}

// leaves reports whether source of a language that leavesBy has may leave its computation.
func leaves(words *regex, end, text string) bool {
	text = staying(end, text)
	switch end {
	case ".rs", ".c", ".h", ".cc", ".cpp", ".hpp", ".cxx", ".hh", ".java", ".kt", ".scala":
		return words.match(text)
	}
	return words.match(text) || anyLeaves.match(text) || strings.Contains(text, "\x00")
}

// staying returns the text of a source without what in it stays inside though its words say more.
func staying(end, text string) string {
	if calm := calmBy[end]; calm != nil {
		return calm.replace(text, " 0 ")
	}
	return text
}

// calmBy holds, by the end of a file's name, what such words say that stays inside: which compiler
// it is, what the machine has, the arguments, the end of the program.
var calmBy = map[string]*regex{
	".rs": &rustStays,
	".c":  &cStays, ".h": &cStays, ".cc": &cStays, ".cpp": &cStays, ".hpp": &cStays,
	".cxx": &cStays, ".hh": &cStays,
	".erl": &erlangStays,
	".cs":  &dotnetStays, ".fs": &dotnetStays, ".fsx": &dotnetStays,
	".java": &javaStays, ".kt": &javaStays, ".scala": &javaStays, ".groovy": &javaStays,
}

var (
	rustStays = regex{text: `\buse std::(?:process|env)(?:::(?:exit|ExitCode|args))?;|` +
		`\b(?:std::)?process::(?:exit\(|ExitCode)|` +
		`\b(?:std::)?env::args(?:_os)?\(\)|\benv!\("CARGO_\w+"\)|#!\[(?:allow|warn|deny|` +
		`forbid)\([\w:, ]*\)\]`}
	cStays = regex{text: `\b__(?:cplusplus|func__|FUNCTION__|PRETTY_FUNCTION__|FILE__|LINE__|` +
		`COUNTER__|DATE__|TIME__|VERSION__|STDC\w*|GNUC\w*|` +
		`clang\w*|x86_64__|aarch64__|linux__|APPLE__|SIZEOF_\w+|BYTE_ORDER__|ORDER_\w+|\w+_MAX__|` +
		`int128(?:_t)?|restrict|inline|` +
		`builtin_(?:popcount|clz|ctz|ffs|parity|expect|bswap|unreachable|\w+_overflow)\w*|SSE\w*|` +
		`AVX\w*)\b|` +
		`#\s*pragma\s+(?:once|omp [\w() ,:+*]*|GCC (?:diagnostic|ivdep|unroll)[^\n]*)|` +
		`\bstd::remove\(\w+\.begin\(\)|<sys/(?:time|types|param|resource)\.h>`}
	erlangStays = regex{text: `"~[-0-9.*]*[a-zA-Z]`}
	dotnetStays = regex{text: `\b(?:using|open)\s+System(?:\.(?:Linq|Collections(?:\.\w+)*|` +
		`Text(?:\.Json|\.RegularExpressions)?|` +
		`Threading\.Tasks|Globalization|Numerics))?\s*[;\n]|\bSystem\.(?:Math|Console|String|Linq)\.`}
	javaStays = regex{text: `\bRuntime\.(?:version\(\)|getRuntime\(\)\.(?:availableProcessors|` +
		`totalMemory|freeMemory|maxMemory|gc)\(\))|` +
		`\bSystem\.(?:getProperty\("(?:java|os|user|line|file|path)\.[\w.]+"\)|lineSeparator\(\))|` +
		`\bClass(?:Cast|NotFound)Exception\b|\bjava\.nio\.charset\.(?:StandardCharsets|Charset)\b|` +
		`\bjava\.io\.(?:IO|UncheckedIO|EOF)Exception\b|\bjava\.io\.(?:Serializable|BufferedReader|` +
		`InputStreamReader|StringReader|` +
		`StringWriter|ByteArray(?:In|Out)putStream)\b|\bgetClass\(\)\.get(?:Simple)?Name\(\)`}
)

// anyLeaves are words and paths by which source of any language may do so.
var anyLeaves = regex{text: `(?i)\b(?:exec\w*|system|popen|spawn\w*|shell\w*|\w*socket\w*|` +
	`https?|unlink\w*|rmdir|rmtree|` +
	`remove_?(?:file|dir|tree|all)\w*|delete_?(?:file|dir|tree)\w*|rename\w*|(?:get|set|` +
	`put)_?env\w*|environ\w*|eval|` +
	`dl(?:open|sym)|dyn(?:lib|link)\w*|ffi|foreign|extern\w*|inline_?asm|asm|unsafe\w*|reflect\w*|` +
	`fork|curl|wget|sudo|` +
	`bash|chmod|kill)\b|["'](?:/|~|\.\./\.\.|[a-z]:\\)`}

// What leaves the computation in one language only.
var (
	rustLeaves = regex{text: `\b(process|fs|net|env|os|ffi|Command|unsafe|extern|include\w*|libc|` +
		`nix|\w*asm|` +
		`proc_macro|build|path)\b|#!\[`}
	cLeaves = regex{text: `\b(system|popen|exec\w*|fork|vfork|spawn\w*|posix_\w+|remove|rename|` +
		`unlink\w*|rmdir|` +
		`f?open\w*|freopen|tmpfile|socket|connect|dl\w+|syscall|kill|getenv|setenv|putenv|asm|__\w+|` +
		`ofstream|fstream|filesystem|pragma|constructor|std::process)\b|##|#\s*include\s*[<"][^>"]*` +
		`(unistd|sys/|fcntl|spawn|dlfcn|net|arpa|windows|signal)|#\s*include\s*["<](/|\.\.)`}
	javaLeaves = regex{text: `\b(Runtime|Process\w*|File\w*|Paths?|nio|net|URL|URI|Socket|reflect|` +
		`Class\w*|` +
		`ServiceLoader|getenv|setProperty|getProperty|load|loadLibrary|Unsafe|native|javax|sql|sun|` +
		`invoke|rmi|naming|Method\w*|jvmName|sys|scala\.io|java\.io|ToolProvider|jdk)\b|\\\\u`}
	zigLeaves = regex{text: `\b(?:process|fs|net|posix|os|linux|windows|c|Child|DynLib|http|` +
		`Io)\b\.?\w*\s*[.(;]|@(?:c|embed|extern|call|export)\w*|` +
		`@import\("[^"]*/|builtin\.|ChildProcess|\bexport\b|@(?:field|typeInfo|hasDecl)|\+\+`}
	nimLeaves = regex{text: `\b(?:os|osproc|net|asyncnet|httpclient|posix|winlean|dynlib|macros|` +
		`memfiles|streams|nativesockets|compilesettings|` +
		`static\w*|gorge\w*|importc|importcpp|emit|pass[CL]|compile|link|cast|open|\w*File\w*|\w*Dir|` +
		`addr|ptr|include|parseStmt|parseExpr|` +
		`quit\w*Command)\b|\{\.`}
	crystalLeaves = regex{text: "`|\\{[{%]|\\b(?:require\\s+\"(?:\\.\\.|/)|File\\w*|Dir|Process|" +
		"HTTP|ENV|IO::(?:FileDescriptor|Memory)|lib|fun|macro|Signal|TCP\\w*|UDP\\w*|UNIX\\w*|" +
		`pointerof|Pointer|at_exit)\b|%x|@\[`}
	dartLeaves = regex{text: `dart:(?:io|ffi|isolate|mirrors|cli|html|js)|\b(?:Process|File|` +
		`Directory|Link|Platform|Isolate|HttpClient|external)\b|(?:import|export)\s+['"](?:/|` +
		`\.\./\.\.)|` +
		`(?:import|export)\s*(?:"[^"]*"|'[^']*')\s*['"]`}
	haskellLeaves = regex{text: `\bSystem\b(?:\.\w+)*|\bNetwork\b|\bForeign\b|\bGHC\.|\{-#|` +
		`\b(?:readFile|writeFile|appendFile|openFile|withFile|runIO|getArgs|Language\.Haskell|` +
		`foreign|unsafe\w*|interact|readIO|callCommand|readProcess|createProcess|removeFile|` +
		`import\s+"[^"]*")\b|#!|^\s*#|\[\w*\|`}
	swiftLeaves = regex{text: `\b(?:Process\w*|File\w*|URL\w*|Glibc|Darwin|Musl|WinSDK|Network|` +
		`NS\w+|Bundle|Unsafe\w*|contentsOf\w*|write|dlsym|Task\.detached|` +
		`CommandLine|Dispatch|CFNetwork|Security)\b|@_|#(?:file|load|embed|externalMacro)\w*|` +
		`@available\(\*,\s*noasync`}
	dotnetLeaves = regex{text: `\b(?:IO|Diagnostics|Net|Process\w*|File\w*|Directory\w*|` +
		`Stream(?:Reader|Writer)|Reflection|Assembly\w*|DllImport|LibraryImport|Environment|` +
		`Registry\w*|HttpClient|Activator|Marshal|GetType|Type|dynamic|Interop\w*|Loader|Microsoft|` +
		`Management|ModuleInitializer|AppDomain|CodeDom|` +
		`Scripting|Emit|Security|Data|Path|stackalloc|fixed|Process|Web|MSBuild)\b|#(?:r|load|I)\b`}
	dLeaves = regex{text: `\b(?:std\.(?:process|file|net|socket|stdio\.File|mmfile|zip|path)|` +
		`core\.\w+|etc\.\w+|File|pragma|mixin|import\s*\(|extern|environment|dirEntries|` +
		`readText|write\s*\(\s*"[^"]*"\s*,|remove|execute\w*|pipe\w*|mkdir\w*)\b|import\s*\(`}
	vLeaves = regex{text: `\b(?:os|net|C|db|crypto\.rand|sync\.pool|v\.\w+|dl|x)\b\s*[.\n]|` +
		`\bimport\s+(?:os|net|dl|db|v|x)\b|\$(?:embed_file|env|pkgconfig|tmpl|d|res)|^\s*#|` +
		"\\bC\\.|@\\[|\\[(?:export|callconv)"}
	odinLeaves = regex{text: `core:(?:os|net|c|sys|dynlib|thread|path|mem/virtual|prof)|` +
		`vendor:|foreign|#(?:load|config|directory|load_\w+)|\bintrinsics\b|base:runtime`}
	fortranLeaves = regex{text: `(?i)execute_command_line|\bopen\s*\(|\binquire\b|` +
		`\bcall\s+(?:system|unlink|rename|chdir|execl\w*|getenv|getarg)|iso_c_binding|bind\s*\(|` +
		`get_(?:command|environment)\w*|` +
		`\bclose\s*\([^)]*delete|^\s*#|\binclude\b|!\$|\bvalue\b`}
	pascalLeaves = regex{text: `(?i)\{\$|\(\*\$|\buses\b[^;]*\b(?:process|unix|baseunix|unixutil|` +
		`sysutils|dos|sockets|fphttpclient|dynlibs|fileutil|windows|classes|linux|syscall)\b|` +
		`\b(?:assign|assignfile|erase|rewrite|reset|external|cdecl|fp\w+|initialization|absolute|` +
		`getenv\w*)\b`}
	adaLeaves = regex{text: `(?i)\bwith\s+(?:GNAT|Interfaces|System|Ada\.(?:Directories|Streams|` +
		`Command_Line|Environment_Variables|Sequential_IO|Direct_IO|Unchecked\w*))|` +
		`\b(?:pragma|import|export|convention|create|open|delete|unchecked\w*|machine_code)\b|=>\s*C\b`}
	gleamLeaves = regex{text: `@external|@target|\bimport\s+(?:simplifile|shellout|` +
		`gleam/(?:http\w*|erlang|javascript|otp)|envoy|argv|filepath|file_streams)`}
	ocamlLeaves = regex{text: `\b(?:Sys|Unix|UnixLabels|Obj|Dynlink|Toploop|Thread|In_channel|` +
		`Out_channel|Filename|Marshal|Stdlib|Lwt\w*|Async\w*|Eio\w*|Bos|Core\w*|Shexp\w*|` +
		`open_(?:in|out)\w*|external|at_exit|input_\w+|output_\w+|set_\w+_out|Arg|Printexc|Gc|Ctypes|` +
		`Cohttp\w*)\b|\[@|\[%|\{%|^\s*#`}
	clojureLeaves = regex{text: `java\.|javax\.|\b(?:slurp|spit|sh|shell|eval|load\w*|import|` +
		`gen-class|proxy|System|Runtime|Process\w*|delete\w*|read-string|resolve|` +
		`ns-resolve|intern|sun|clojure\.(?:java|main|lang))\b|#=|\(\.|\.\)`}
	elmLeaves    = regex{text: `\bport\b|\bHttp\b|\bFile\b|\bBrowser\b|\[glsl\|`}
	erlangLeaves = regex{text: `\b(?:os|file|filelib|httpc|gen_\w+|inet\w*|ssl|ssh\w*|ftp|tftp|` +
		`rpc|erpc|net_\w+|net|init|code|compile|erl_\w+|open_port|port_\w+|apply|` +
		`list_to_(?:existing_)?atom|binary_to_\w*(?:term|atom)|spawn\w*|load_\w+|erlang|prim_\w+|` +
		`user_drv|shell\w*|slave|peer|disk_log|dets|zip|erl_tar|` +
		`on_load|parse_transform|include\w*|include_lib|behaviou?r|import|define|unix)\b|[A-Z]\w*:\w`}
)
