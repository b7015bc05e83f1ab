package classify

import "strings"

// remoteSchemes begin the addresses of services that a program connects to. Those of pages stand
// in too many texts that are no address to talk to.
const remoteSchemes = ` amqp amqps mongodb mongodb+srv postgres postgresql mysql mariadb redis ` +
	`rediss mssql sqlserver
 oracle clickhouse cassandra cockroachdb neo4j bolt nats kafka pulsar mqtt mqtts ldap ldaps ` +
	`smtp smtps imap imaps
 sftp ftp ftps ssh scp s3 gs gcs az azblob abfs abfss wasb wasbs hdfs webhdfs swift b2 oss cos ` +
	`dav davs webdav
 rsync git+ssh ws wss tcp udp tls quic grpc grpcs thrift snowflake databricks bigquery ` +
	`redshift trino presto
 elasticsearch influxdb influxdb+http couchdb firebird db2 hive impala teradata vertica nfs ` +
	`smb cifs rtmp rtmps rtsp
 srt docker+ssh qemu+ssh qemu+tcp vnc rdp spice telnet jdbc:postgresql jdbc:mysql jdbc:mariadb ` +
	`jdbc:sqlserver
 jdbc:redshift jdbc:snowflake jdbc:clickhouse jdbc:hive2 jdbc:db2 jdbc:trino jdbc:presto ` +
	`jdbc:h2:tcp jdbc:h2:ssl `

// keepsText names the programs whose words are kept, compared or searched for, and not connected
// to: the shell's own that set variables, and filters of data.
const keepsText = ` export declare local typeset readonly set setenv alias env printenv jq ` +
	`gojq jaq yq dasel
 find echo printf case exec eval source yj tr cut sort awk gawk mawk sed gsed perl basename ` +
	`dirname trurl `

// connections is the rule for a word that says in a connection string which machine to talk to:
// amqp://HOST, PG:host=HOST, Server=HOST;Database=NAME. Whoever is given it connects there.
func (a *argv) connections() {
	if max(a.p.Level, a.base) > write || a.fixed && a.base == readOnly {
		return
	}
	for _, wd := range a.words[:len(a.words)-len(a.rest)] {
		if host := remoteHost(wd.text); host != "" && !a.keepsText() {
			a.p.raise(network, a.name+" "+show(wd.text), a.name+" may connect to "+show(host))
			return
		}
	}
}

func (a *argv) keepsText() bool {
	program, _, _ := strings.Cut(a.name, " ")
	return inList(keepsText, program) || inList(seeking, program) ||
		a.row.facts&(factCode|factScript|factText) != 0
}

// remoteHost returns the other machine that a connection string names, or "".
func remoteHost(text string) string {
	if i := strings.Index(text, "://"); i > 0 {
		return addressHost(text, i)
	}
	if strings.HasPrefix(text, "jdbc:oracle:") || strings.Contains(text, "=jdbc:oracle:") {
		_, host, _ := strings.Cut(text, "@")
		return farHost(strings.TrimLeft(host, "/"))
	}
	if strings.IndexByte(text, '=') < 0 || !strings.Contains(text, "ost") &&
		!strings.Contains(text, "erver") && !strings.Contains(text, "ource") &&
		!strings.Contains(text, "ddr") && !strings.Contains(text, "HOST") &&
		!strings.Contains(text, "SERVER") {
		return ""
	}
	return fieldsHost(text)
}

// addressHost returns the host of the address whose :// stands at byte i.
func addressHost(text string, i int) string {
	from := i
	for from > 0 && (text[from-1]|0x20 >= 'a' && text[from-1]|0x20 <= 'z' ||
		text[from-1] >= '0' && text[from-1] <= '9' || strings.IndexByte("+.:", text[from-1]) >= 0) {
		from--
	}
	scheme := strings.ToLower(text[from:i])
	if !strings.HasPrefix(scheme, "jdbc:") {
		scheme = scheme[strings.LastIndexByte(scheme, ':')+1:]
	}
	before := text[:from]
	if !inList(remoteSchemes, scheme) ||
		before != "" && (strings.ContainsAny(before, " \n|") ||
			strings.IndexByte("=:,@\"'", before[len(before)-1]) < 0) {
		return ""
	}
	host := text[i+3:]
	if end := strings.IndexAny(host, "/?# "); end >= 0 {
		host = host[:end]
	}
	return farHost(host[strings.LastIndexByte(host, '@')+1:])
}

// fieldsHost returns the host of a list of fields: host=NAME dbname=NAME, or any with a word
// and a colon before it.
func fieldsHost(text string) string {
	kind, rest, ok := strings.Cut(text, ":")
	prefixed := ok && kind != "" && strings.Trim(strings.ToLower(kind),
		"abcdefghijklmnopqrstuvwxyz") == ""
	if !prefixed {
		rest = text
	}
	if prefixed && strings.Contains(rest, "://") || strings.Contains(rest, "\n") {
		return ""
	}
	host, partner := "", false
	for field := range strings.FieldsFuncSeq(rest, func(c rune) bool {
		return strings.ContainsRune(";, \"'", c)
	}) {
		key, val, set := strings.Cut(field, "=")
		if !set && host == "" && (strings.EqualFold(field, "data") ||
			strings.EqualFold(field, "network")) {
			continue // Data Source=
		}
		switch key = strings.ToLower(key); {
		case !set:
		case inList(" host hostaddr hostname server source addr address ", key):
			host = farHost(strings.TrimPrefix(val, "tcp:"))
		case inList(" dbname database db port user uid username password pwd sslmode catalog driver "+
			"dsn id trusted_connection encrypt charset service_name sid ", key):
			partner = true
		}
	}
	if prefixed || partner {
		return host
	}
	return ""
}

// farHost returns the host, with or without a port, if it is not this machine.
func farHost(host string) string {
	name := strings.ToLower(host)
	if !strings.HasPrefix(name, "[") {
		name, _, _ = strings.Cut(name, ":")
		name, _, _ = strings.Cut(name, ",")
	}
	name, _, _ = strings.Cut(name, `\`)
	if name == "" || name == "." || name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		strings.HasPrefix(name, "127.") || strings.HasPrefix(name, "[::1]") || name == "0.0.0.0" ||
		strings.HasPrefix(name, "/") || strings.HasPrefix(name, "%2f") ||
		strings.HasPrefix(name, "(local") || name == "host.docker.internal" {
		return ""
	}
	return host
}
