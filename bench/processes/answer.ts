/** Commands of a process; the bench gets the result of the handler. */
export type Handlers = Readonly<Record<string, () => unknown>>;

export interface Question {
  readonly id: number;
  readonly command: string;
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  /** Stack of what the handler threw. */
  readonly error?: string;
}

/** Answers the process that started this one. Does not keep the process from ending. */
export function answerCommands(handlers: Handlers): void {
  process.on("message", (question: Question) => void answer(handlers, question));
  process.channel?.unref();
}

/** For peers: reports readiness and lives until its stop. */
export function serveCommands(handlers: Handlers): void {
  answerCommands(handlers);
  console.log("ready");
  setInterval(() => undefined, 60_000);
}

async function answer(handlers: Handlers, { id, command }: Question): Promise<void> {
  const handler = handlers[command];
  try {
    if (handler === undefined) throw new RangeError(`nobody told this process how to ${command}`);
    process.send?.({ id, value: await handler() } satisfies Answer);
  } catch (error) {
    process.send?.({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    } satisfies Answer);
  }
}
