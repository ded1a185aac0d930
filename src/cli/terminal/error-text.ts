/** A failure as a person reads it: what, where, why, what to do. */
import { relative, resolve } from 'node:path';
import { isRowsmithError } from '../../protocol/index.js';

/** Several lines, the later ones indented; without a stack where the error is one of ours. */
export function errorText(error: unknown): string {
  if (!isRowsmithError(error))
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  const { entity, property, problem, fix, file, directory, faults } = error.details;
  const place = [file, directory].find((each) => typeof each === 'string');
  const member = [entity, property].filter((part) => part !== undefined).join('.');
  const where = [
    place === undefined || resolve(place) === resolve('') ? '' : shortPath(place),
    member,
  ]
    .filter((part) => part !== '')
    .join(': ');
  const lines = [where === '' ? error.message : `${where}: ${error.message}`, problem, fix];
  for (const fault of faults ?? []) {
    const subject = [fault.entity, fault.property].filter(Boolean).join('.');
    lines.push(
      `${fault.file === undefined ? '' : `${shortPath(fault.file)}: `}${subject}: ${fault.problem}`,
      `  ${fault.fix}`,
    );
  }
  return lines
    .filter((line) => line !== undefined)
    .map((line) => line.replaceAll('\n', '\n  '))
    .join('\n  ');
}

/** The path from where the command was given, unless the whole one is shorter. */
export function shortPath(path: string): string {
  const [, file = path, position = ''] = /^(.*?)((?::\d+){1,2})?$/.exec(path) ?? [];
  const short = relative('', file);
  return `${short === '' ? '.' : short.length < file.length ? short : file}${position}`;
}
