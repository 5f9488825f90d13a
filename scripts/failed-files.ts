// Prints the test files that failed, one a line; nothing when they are more than MOST, which no bad moment explains.
// Usage: failed-files.ts FOLDER TIER MOST   with FOLDER/TIER.json (Vitest's JSON report)
import { failedFiles } from "./test-reports.ts";

const [folder = ".", tier = "", most = "0"] = process.argv.slice(2);
const files = failedFiles(folder, tier);
if (files.length <= Number(most)) for (const file of files) console.log(file);
