// Prints failed test files, one per line. Prints nothing for more than MOST, because a flaky moment does not explain them.
// Usage: failed-files.ts FOLDER TIER MOST
import { failedFiles, readTier } from "./tests/report.ts";

const [folder = ".", tier = "", most = "0"] = process.argv.slice(2);
const files = failedFiles(readTier(folder, tier).first);
if (files.length <= Number(most)) for (const { name } of files) console.log(name);
