/** The output of a command: text for people, or JSON for programs. */
import { createInterface } from 'node:readline';
import { isRowsmithError, shellDetails } from '../../base/index.js';
import { escapeControls, escapeJson } from './escape.js';
import { errorText, type Words } from './error-text.js';
import { EscapedOutput } from './escaped-output.js';
import { Progress, type ProgressStyle } from './progress.js';
import { type Style, styleFor } from './style.js';
import type { Output } from './output.js';

/** Standard input: rows, and answers to questions. */
export type Input = NodeJS.ReadableStream & { readonly isTTY?: boolean };

/** Width of a terminal that does not know its own. */
const defaultWidth = 80;

/** Streams and settings of a terminal. */
export interface TerminalOptions {
  readonly out: Output;
  readonly err: Output;
  /** Default: the standard input of the process. */
  readonly input?: Input | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** `--json`: standard output holds only JSON. */
  readonly json: boolean;
  /** False for `--no-color`. */
  readonly colours: boolean;
}

/**
 * Standard output and standard error of a command. Control characters in what is printed are
 * escaped, except line breaks and tabs.
 */
export class Terminal {
  /** `--json` was given. */
  readonly json: boolean;
  /** Styles for `print`. */
  readonly style: Style;
  /** Width of lines for people, in characters. */
  readonly width: number;
  readonly #out: Output;
  readonly #err: Output;
  readonly #input: Input | undefined;
  readonly #errStyle: Style;
  readonly #styled: { readonly out: boolean; readonly err: boolean };

  constructor({ out, err, input, env, json, colours }: TerminalOptions) {
    this.json = json;
    // Some terminals report 0.
    const { columns = 0 } = out;
    this.width = columns > 0 ? columns : defaultWidth;
    this.#out = out;
    this.#err = err;
    this.#input = input;
    const styled = {
      out: out.isTTY === true && colours && !json,
      err: err.isTTY === true && colours,
    };
    this.#styled = styled;
    this.style = styleFor({ isTTY: styled.out }, env);
    this.#errStyle = styleFor({ isTTY: styled.err }, env);
  }

  /** Whether results are for people: standard output is a terminal, without --json. */
  get isForPeople(): boolean {
    return this.#out.isTTY === true && !this.json;
  }

  /** Whether somebody can answer: input and standard error are terminals, without --json. */
  get canAsk(): boolean {
    return this.input.isTTY === true && this.#err.isTTY === true && !this.json;
  }

  /** Standard input. */
  get input(): Input {
    return this.#input ?? process.stdin;
  }

  /** Asks a question on standard error. Anything but y or yes is a no, and so is no answer. */
  async confirm(question: string): Promise<boolean> {
    this.#err.write(`${escapeControls(question, false)} [y/N] `);
    const lines = createInterface({ input: this.input, terminal: false });
    try {
      for await (const line of lines) return /^\s*y(es)?\s*$/i.test(line);
      return false;
    } finally {
      lines.close();
    }
  }

  /** A line of text on standard output; nothing under --json. */
  print(line = ''): void {
    if (!this.json) this.#out.write(`${escapeControls(line, this.#styled.out)}\n`);
  }

  /**
   * Bytes or text to standard output without a line break: the content of a file. Control
   * characters of text are escaped on a terminal only.
   */
  write(content: string | Uint8Array): void {
    if (this.#out.isTTY === true && typeof content === 'string')
      this.#out.write(escapeControls(content, false));
    else this.#out.write(content);
  }

  /**
   * Standard output for rows of data, if it is a terminal: control characters are escaped.
   * Undefined for a pipe or a file, which get the bytes unchanged.
   */
  dataOutput(format: 'jsonl' | 'csv'): EscapedOutput | undefined {
    if (this.#out.isTTY !== true) return undefined;
    return new EscapedOutput(this.#out, format);
  }

  /** One line of JSON on standard output under --json, bigints as text; nothing otherwise. */
  printJson(value: unknown): void {
    if (this.json) this.#out.write(`${escapeJson(JSON.stringify(value, bigintAsText))}\n`);
  }

  /** One line of JSON on standard output, with or without --json: a row of a result. */
  writeJsonLine(value: unknown): void {
    this.#out.write(`${escapeJson(JSON.stringify(value, bigintAsText))}\n`);
  }

  /**
   * A line that is not part of the result, such as a warning. It goes to standard error, so that
   * piped output stays clean.
   */
  note(line: string): void {
    this.#err.write(`${escapeControls(line, this.#styled.err)}\n`);
  }

  /**
   * An error: text on standard error, or under --json `{"error": ...}` on standard output, with
   * `more` properties.
   */
  printError(error: unknown, more: object = {}, words?: Words): void {
    if (this.json) {
      this.printJson({ error: { ...jsonForm(error, words), ...more } });
      return;
    }
    this.note(`${this.#errStyle.bad('rowsmith:')} ${errorText(error, words)}`);
  }

  /**
   * The progress of a run over `total` rows (undefined: not known), on standard error. Under
   * --json nothing is drawn.
   */
  progress(name: string, total?: number, style?: ProgressStyle): Progress {
    const out: Output = this.json ? { write: () => true } : this.#err;
    return new Progress(escapeControls(name, false), total, out, this.#errStyle, undefined, style);
  }
}

function bigintAsText(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value;
}

function jsonForm(error: unknown, words: Words = 'shell'): object {
  if (isRowsmithError(error)) {
    const json = error.toJSON();
    if (words === 'api') return json;
    const { problem, fix } = shellDetails(error);
    return { ...json, details: { ...(json.details as object), problem, fix } };
  }
  if (error instanceof Error) return { name: error.name, message: error.message };
  return { message: String(error) };
}
