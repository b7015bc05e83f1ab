# An SBOM of the programs, from what the Go linker wrote into them: CycloneDX 1.6.
# Input: the objects of go version -m -json, all in one array (jq -s).
(map(.Deps // []) | add | unique_by(.Path)) as $deps
| {
    bomFormat: "CycloneDX", specVersion: "1.6", version: 1,
    metadata: {component: {type: "application", name: "ua", version: $version, "bom-ref": "ua",
      licenses: [{license: {id: "MIT"}}]}},
    components: ([$deps[] | {type: "library", name: .Path, version: .Version, "bom-ref": .Path,
        purl: "pkg:golang/\(.Path)@\(.Version)"}]
      + [{type: "platform", name: "go", version: .[0].GoVersion, "bom-ref": "go"}]),
    dependencies: [{ref: "ua", dependsOn: ([$deps[].Path] + ["go"])}]
  }
