import bcrypt from "bcryptjs";
import { ExporterError } from "../errors/exporter-error.ts";
import { LineTerminal, type Terminal } from "./init/terminal.ts";

export interface HashPasswordFlags {
  readonly cost: number;
}

/** Bytes of standard input. More is not a password. */
const MAX_INPUT = 4_096;

/** Prints the hash for `basic_auth_users`. Asks on a terminal, and reads a pipe otherwise. Resolves with the exit code. */
export async function hashPassword({ cost }: HashPasswordFlags): Promise<number> {
  const password = process.stdin.isTTY ? await fromTerminal() : await readLine(process.stdin);
  process.stdout.write(`${await hashOf(password, cost)}\n`);
  return 0;
}

async function fromTerminal(): Promise<string> {
  const interrupt = () => process.kill(process.pid, "SIGINT");
  const terminal = new LineTerminal(process.stdin, process.stderr, interrupt);
  try {
    return await askTwice(terminal);
  } finally {
    terminal.close();
  }
}

/** @throws ExporterError PASSWORD_UNUSABLE if the answers differ, INIT_ANSWER_MISSING */
export async function askTwice(terminal: Pick<Terminal, "askSecret">): Promise<string> {
  const password = await terminal.askSecret("Password (not shown):");
  if (password !== (await terminal.askSecret("The same again:"))) throw unusable("the two passwords differ");
  return password;
}

/** Without the line break at the end. @throws ExporterError PASSWORD_UNUSABLE */
export async function readLine(input: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > MAX_INPUT) throw unusable("standard input is longer than a password");
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, "");
  if (/[\r\n]/.test(text)) throw unusable("standard input has more than one line");
  return text;
}

/** @throws ExporterError PASSWORD_UNUSABLE */
export async function hashOf(password: string, cost: number): Promise<string> {
  if (password === "") throw unusable("the password is empty");
  // The rest would be ignored.
  if (bcrypt.truncates(password)) throw unusable("bcrypt uses only 72 bytes, and the password is longer");
  return bcrypt.hash(password, cost);
}

function unusable(fault: string): ExporterError {
  return new ExporterError("PASSWORD_UNUSABLE", fault);
}
