/** A program in another language: a line of JSON with requests, answered by a line of answers. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';

/** The answer to a request. */
export interface Answer {
  readonly ok?: unknown;
  readonly error?: Readonly<Record<'code' | 'property' | 'problem' | 'fix', string | null>>;
  /** The types of the language refuse a value. */
  readonly types?: true;
}

export class LineProcess {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #ended: Promise<never>;
  #errors = '';

  /** Starts a program of a language; its client uses the server. */
  protected constructor(
    language: string,
    program: string,
    args: readonly string[],
    server?: string,
  ) {
    const env = { ...process.env, BIGTABLE_EMULATOR_HOST: server ?? '' };
    this.#child = spawn(program, args, { env });
    this.#lines = createInterface(this.#child.stdout!);
    this.#ended = once(this.#child, 'exit').then(() => {
      throw new Error(`${language} ended: ${this.#errors}`);
    });
    this.#ended.catch(() => undefined);
    this.#child.stderr!.on('data', (part: Buffer) => (this.#errors += part.toString()));
  }

  /** The answers to requests, in their order. Requests must not overlap. */
  async ask(requests: readonly object[]): Promise<readonly Answer[]> {
    if (requests.length === 0) return [];
    const answered = once(this.#lines, 'line');
    this.#child.stdin!.write(`${JSON.stringify(requests)}\n`);
    const [line] = (await Promise.race([answered, this.#ended])) as [string];
    const answers = JSON.parse(line) as (Answer & { failure?: string })[];
    answers.forEach(({ failure }, i) => {
      if (failure !== undefined)
        throw new Error(`${failure} on ${JSON.stringify(requests[i]).slice(0, 500)}`);
    });
    return answers;
  }

  async close(): Promise<void> {
    this.#child.stdin!.end();
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
  }
}
