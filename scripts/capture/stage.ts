import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Conductor, type Program } from "./conductor.ts";
import { type Answer, ask, Gate, headerOf, type Question } from "./gate.ts";
import { readableBody } from "./readable-body.ts";

/** Not content. A wrong length fails anyway. */
const UNCOMPARED = ["date", "connection", "keep-alive", "transfer-encoding", "content-length"];

export interface StageOptions {
  readonly root: string;
  readonly output: string;
  readonly scratch: string;
  readonly startAt: number;
}

/** Writes everything that servers, receiver and clients say to files. */
export class Stage {
  readonly conductor: Conductor;
  readonly #options: StageOptions;
  readonly #ports = new Map<number, number>();
  readonly #gates: Gate[] = [];
  readonly #requests = new Map<string, string[]>();
  #received = 0;
  receiver: (question: Question) => Answer = () => ({
    status: 200,
    headers: ["Content-Type", "application/json"],
    body: Buffer.from("{}"),
  });

  constructor(options: StageOptions) {
    this.#options = options;
    this.conductor = new Conductor(options.startAt);
  }

  /** Programs reach it at 127.0.0.1. */
  async simulate(name: string, port: number, ...flags: readonly string[]): Promise<Simulator> {
    const args = ["simulate", "--listen-address", `127.0.0.1:${port}`, "--control", ...flags];
    const { root, scratch: cwd } = this.#options;
    const program = this.conductor.start({ name, root, args, cwd });
    await this.conductor.listening(program, port);
    const actual = program.listening.get(port) ?? 0;
    const lines: string[] = [];
    this.#requests.set(name, lines);
    await this.#open(port, async (question) => {
      const line = `${this.#elapsed()} ${question.method} ${decodeURIComponent(question.url)}`;
      const at = lines.push(line) - 1;
      const answer = await ask(actual, question);
      lines[at] = `${line} -> ${answer.status}, ${answer.body.length} bytes`;
      return answer;
    });
    return new Simulator(this.conductor, program, actual);
  }

  async receive(port: number): Promise<void> {
    await this.#open(port, async (question) => {
      const number = String(++this.#received).padStart(4, "0");
      const answer = this.receiver(question);
      const headers = pairs(question.headers).filter((line) => !/^(content-length|connection|host):/i.test(line));
      this.write(
        `otlp/${number}.txt`,
        `${this.#elapsed()} ${question.method} ${question.url}\n${headers.join("\n")}\n-> ${answer.status}\n\n${readableBody(question)}\n`,
      );
      return answer;
    });
  }

  /** Runs in the scratch folder. */
  start(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
    const { root, scratch: cwd } = this.#options;
    return this.conductor.start({ name, root, args, cwd, env, ports: this.#ports });
  }

  async run(name: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
    const program = this.start(name, args, env);
    await this.conductor.ended(program);
    this.keepOutput(program);
  }

  keepOutput({ name, stdout, stderr, exitCode }: Program): void {
    this.write(`commands/${name}.out`, this.#withoutPlaces(stdout));
    this.write(`commands/${name}.err`, this.#withoutPlaces(`${stderr}exit code ${exitCode}\n`));
  }

  get(program: Program, port: number, question: Partial<Question> & { readonly url: string }): Promise<Answer> {
    return asked(this.conductor, program.listening.get(port) ?? 0, question);
  }

  /** Keeps the answer. */
  async look(file: string, program: Program, port: number, question: Partial<Question> & { readonly url: string }) {
    this.keep(file, question, await this.get(program, port, question));
  }

  /** Keeps request, status, headers and body in a file. */
  keep(file: string, question: Partial<Question> & { readonly url: string }, answer: Answer): void {
    const { method = "GET", url, headers = [] } = question;
    const isPacked = headerOf(answer.headers, "content-encoding") === "gzip";
    const body = isPacked ? gunzipSync(answer.body) : answer.body;
    const shown = pairs(answer.headers).filter(
      (line) => !UNCOMPARED.includes(line.slice(0, line.indexOf(":")).toLowerCase()),
    );
    const head = [`${method} ${url}`, ...pairs(headers), "", String(answer.status), ...shown, "", ""].join("\n");
    this.write(file, this.#withoutPlaces(head + body.toString("utf8")));
  }

  write(file: string, text: string): void {
    const path = join(this.#options.output, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  async close(): Promise<void> {
    for (const [name, lines] of this.#requests) this.write(`requests/${name}.txt`, `${lines.join("\n")}\n`);
    this.conductor.close();
    for (const gate of this.#gates) gate.close();
  }

  async #open(port: number, answer: (question: Question) => Promise<Answer>): Promise<void> {
    const gate = new Gate(() => this.conductor.now, answer);
    this.#gates.push(gate);
    this.conductor.add(gate);
    this.#ports.set(port, await gate.listen());
  }

  #elapsed(): string {
    return `+${((this.conductor.now - this.#options.startAt) / 1_000).toFixed(3)}`;
  }

  #withoutPlaces(text: string): string {
    const { root, scratch } = this.#options;
    return text.replaceAll(scratch, "SCRATCH").replaceAll(root, "ROOT");
  }
}

export class Simulator {
  readonly #conductor: Conductor;
  readonly program: Program;
  readonly port: number;

  constructor(conductor: Conductor, program: Program, port: number) {
    this.#conductor = conductor;
    this.program = program;
    this.port = port;
  }

  /** Controls the simulator (docs/simulator.md). */
  async call(method: string, url: string, body?: unknown): Promise<unknown> {
    const sent = Buffer.from(body === undefined ? "" : JSON.stringify(body));
    const question = { method, url, headers: AUTHORIZED, body: sent };
    const answer = await asked(this.#conductor, this.port, question);
    const text = answer.body.toString("utf8");
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  }

  async look(stage: Stage, file: string, url: string): Promise<void> {
    const question = { url, headers: AUTHORIZED };
    stage.keep(file, question, await asked(this.#conductor, this.port, question));
  }

  async fault(...faults: readonly string[]): Promise<void> {
    await this.call("DELETE", "/simulator/faults");
    for (const fault of faults) await this.call("POST", "/simulator/faults", { fault });
  }

  async stop(): Promise<void> {
    this.program.kill("SIGTERM");
    await this.#conductor.ended(this.program);
  }

  change(id: string, what: string, body: unknown = {}): Promise<unknown> {
    return this.call("POST", `/simulator/objects/${id}/${what}`, body);
  }
}

const AUTHORIZED = ["Authorization", "Bearer simulated-key"];

async function asked(
  conductor: Conductor,
  port: number,
  { method = "GET", url, headers = [], body = Buffer.alloc(0) }: Partial<Question> & { readonly url: string },
): Promise<Answer> {
  let answer: Answer | Error | undefined;
  ask(port, { method, url, headers, body }).then(
    (found) => {
      answer = found;
    },
    (error: Error) => {
      answer = error;
    },
  );
  await conductor.still(() => answer !== undefined, `${method} ${url}`);
  if (answer === undefined || answer instanceof Error) throw new Error(`${method} ${url} failed`, { cause: answer });
  return answer;
}

function pairs(headers: readonly string[]): string[] {
  const lines: string[] = [];
  for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
  return lines;
}
