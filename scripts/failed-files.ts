// Prints failed test files with real programs, one per line. Prints nothing for more than MOST, because a flaky moment does
// not explain them, or if other files failed: only real programs have a second chance.
// Usage: failed-files.ts FOLDER TIER MOST
import { failedFiles, readTier } from "./tests/report.ts";

const [folder = ".", tier = "", most = "0"] = process.argv.slice(2);
const files = failedFiles(readTier(folder, tier).first);
const isReal = files.every(({ name }) => /^test\/(real|containers|cluster)\//.test(name));
if (isReal && files.length <= Number(most)) for (const { name } of files) console.log(name);
