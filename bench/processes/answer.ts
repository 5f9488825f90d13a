export type Handlers = Readonly<Record<string, () => unknown>>;

export interface Question {
  readonly id: number;
  readonly command: string;
}

export interface Answer {
  readonly id: number;
  readonly value?: unknown;
  readonly error?: string;
}

/** Does not keep the process alive. */
export function answerCommands(handlers: Handlers): void {
  process.on("message", (question: Question) => void answer(handlers, question));
  process.channel?.unref();
}

/** Runs until stopped. */
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
