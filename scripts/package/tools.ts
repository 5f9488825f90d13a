import { accessSync, constants } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";

const CACHES = process.env.XDG_CACHE_HOME || path.join(homedir(), ".cache");
/** Of scripts/install-test-programs.sh, if the system has no wixl. */
const TEST_PROGRAMS = path.join(
  process.env.PRTG_EXPORTER_TEST_CACHE || path.join(CACHES, "prtg-exporter-tests"),
  "bin",
);

/** The folders with programs. */
export const PROGRAM_PATH = [process.env.PATH ?? "", TEST_PROGRAMS].join(path.delimiter);

const MSI_REMEDY = "install Debian's packages wixl and msitools, or give other targets with --target";

interface Tool {
  readonly program: string;
  readonly remedy: string;
  isNeeded(targets: ReadonlySet<string>, env: NodeJS.ProcessEnv): boolean;
}

const always = () => true;
const forLinux = (targets: ReadonlySet<string>) => [...targets].some((target) => target.startsWith("linux-"));
const forWindows = (targets: ReadonlySet<string>) => targets.has("windows-amd64");

const TOOLS: readonly Tool[] = [
  { program: "npm", remedy: "install npm", isNeeded: always },
  { program: "bash", remedy: "install bash", isNeeded: always },
  {
    program: "git",
    remedy: "install git, or set SOURCE_DATE_EPOCH and PRTG_EXPORTER_REVISION",
    isNeeded: (_targets, env) => env.SOURCE_DATE_EPOCH === undefined || env.PRTG_EXPORTER_REVISION === undefined,
  },
  { program: "go", remedy: "install Go, or give other targets with --target", isNeeded: forLinux },
  ...["wixl", "msibuild", "msiinfo"].map((program) => ({ program, remedy: MSI_REMEDY, isNeeded: forWindows })),
];

/** One line for each missing program. The work before its first use takes minutes. */
export function missingTools(
  targets: ReadonlySet<string>,
  env: NodeJS.ProcessEnv,
  isThere: (program: string) => boolean = isInPath,
): readonly string[] {
  return TOOLS.filter(({ program, isNeeded }) => isNeeded(targets, env) && !isThere(program)).map(
    ({ program, remedy }) => `${program} is missing: ${remedy}`,
  );
}

function isInPath(program: string): boolean {
  return PROGRAM_PATH.split(path.delimiter).some((folder) => {
    try {
      accessSync(path.join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
