/** The parser's errors in the words of this command. */
import type { CommanderError } from 'commander';

/**
 * `there is no option '--jsom'; did you mean '--json'?`. `names` are commands and options.
 */
export function usageText({ message }: CommanderError, names: readonly string[]): string {
  const [, kind, name] = /^error: unknown (command|option) '(.*)'/.exec(message) ?? [];
  if (kind !== undefined) {
    const problem = `there is no ${kind} '${name}'${suggestion(message) || lowerCase(name, names)}`;
    if (kind === 'option') return problem;
    return `${problem}\nrowsmith --help describes each command.`;
  }
  const [, flag, value] = /^error: option '(\S+) <(.*)>' argument missing/.exec(message) ?? [];
  if (flag !== undefined) return missingValueText(flag, value);
  return message.replace(/^error: /, '').replace(/\.$/, '');
}

/** The parser compares letters with their case. */
function lowerCase(name: string, names: readonly string[]): string {
  const lower = name.toLowerCase();
  return names.includes(lower) ? `; did you mean '${lower}'?` : '';
}

function suggestion(message: string): string {
  const near = /\(Did you mean (one of )?(.+)\?\)/.exec(message);
  if (near === null) return '';
  return `; did you mean ${near[1] ?? ''}${near[2].replaceAll(/[^ ,]+/g, "'$&'")}?`;
}

const paths: Readonly<Record<string, string>> = { FILE: 'a file', DIRECTORY: 'a directory' };

/** Whether a placeholder is for the path of a file or a directory, which is never empty. */
export function isPath(placeholder: string): boolean {
  return Object.hasOwn(paths, placeholder);
}

/** `--config needs a file`. */
export function missingValueText(flag: string, placeholder: string): string {
  if (isPath(placeholder)) return `${flag} needs ${paths[placeholder]}`;
  return `${flag} needs a value: ${flag} ${placeholder}`;
}
