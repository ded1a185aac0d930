/** What every verb of the command has. */
import type { RowsmithError } from '../errors.js';

/** Exit codes: done, failed, asked wrongly. */
export const exit = { ok: 0, failed: 1, usage: 2 } as const;

/** A verb: `rowsmith VERB ...`. */
export interface Verb {
  /** One line for the list of verbs. */
  readonly summary: string;
  /** The text of `rowsmith VERB --help`. */
  readonly help: string;
  /** Runs to the end; resolves to the exit code. Throws UsageFault for arguments it does not take. */
  run(args: readonly string[]): Promise<number>;
}

/** Arguments that a verb does not take. */
export class UsageFault extends Error {}

/** Writes a line for the person. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes what went wrong. */
export function complain(line: string): void {
  process.stderr.write(`rowsmith: ${line}\n`);
}

/** An error of ours for a person: what, why, what to do. */
export function errorText({ message, details }: RowsmithError): string {
  const { problem, fix, directory } = details;
  const where = typeof directory === 'string' ? `${directory}: ` : '';
  return [`${where}${message}`, problem, fix].filter((part) => part !== undefined).join('\n  ');
}
