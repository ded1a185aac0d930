/**
 * What the command says, and to whom: a person at a terminal, a pipe, or a program that reads JSON.
 */
import { isRowsmithError } from '../../protocol/index.js';
import { errorText } from './error-text.js';
import { Progress } from './progress.js';
import { type Style, styleFor } from './style.js';

/** A stream that is written to. */
export interface Output {
  readonly isTTY?: boolean;
  write(text: string | Uint8Array): boolean;
}

/** What a terminal is made of. */
export interface TerminalParts {
  readonly out: Output;
  readonly err: Output;
  readonly env: NodeJS.ProcessEnv;
  /** `--json`: standard output holds JSON and nothing else. */
  readonly json: boolean;
  /** False for `--no-color`. */
  readonly colours: boolean;
}

/** Standard output and standard error of a verb. */
export class Terminal {
  /** The verb was asked for JSON. */
  readonly json: boolean;
  /** Styles of what `say` writes. */
  readonly style: Style;
  readonly #out: Output;
  readonly #err: Output;
  readonly #errStyle: Style;

  constructor({ out, err, env, json, colours }: TerminalParts) {
    this.json = json;
    this.#out = out;
    this.#err = err;
    this.style = styleFor(colours && !json ? out : {}, env);
    this.#errStyle = styleFor(colours ? err : {}, env);
  }

  /** A line for a person on standard output; under --json there is none. */
  say(line = ''): void {
    if (!this.json) this.#out.write(`${line}\n`);
  }

  /** Bytes or text as they are, to standard output: a result that is a file. */
  write(content: string | Uint8Array): void {
    this.#out.write(content);
  }

  /** Under --json one line of JSON; bigints are written as text. Otherwise nothing. */
  data(value: unknown): void {
    if (this.json)
      this.#out.write(
        `${JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? String(inner) : inner))}\n`,
      );
  }

  /**
   * A line for a person that does not belong to the result: what goes on, or what is odd. On
   * standard error, so that piped output stays clean.
   */
  note(line: string): void {
    this.#err.write(`${line}\n`);
  }

  /**
   * What went wrong: for a person on standard error; under --json `{"error": ...}` on standard
   * output.
   */
  complain(problem: unknown): void {
    if (this.json) {
      this.data({ error: problemData(problem) });
      return;
    }
    this.#err.write(
      `${this.#errStyle.bad('rowsmith:')} ${typeof problem === 'string' ? problem : errorText(problem)}\n`,
    );
  }

  /**
   * The progress of a run over `total` rows (undefined where nobody knows), on standard error.
   * Under --json nothing is drawn.
   */
  progress(name: string, total?: number): Progress {
    const out: Output = this.json ? { write: () => true } : this.#err;
    return new Progress(name, total, out, this.#errStyle);
  }
}

function problemData(problem: unknown): unknown {
  if (isRowsmithError(problem)) return problem.toJSON();
  if (problem instanceof Error) return { name: problem.name, message: problem.message };
  return { message: String(problem) };
}
