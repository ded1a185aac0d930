/** Positions in the user's sources, found by searching their text: models know no files. */
import { readFileSync } from 'node:fs';

/**
 * The line that declares the property, or else the class: `/project/src/reading.ts:12`. Undefined
 * if no source declares such a class.
 */
export function declarationPosition(
  sources: readonly string[],
  className: string,
  property?: string,
): string | undefined {
  const name = escaped(className);
  const declaration = new RegExp(
    `\\bclass\\s+${name}\\b|\\bdefine(Entity|Message)\\(\\s*['"]?${name}\\b`,
  );
  for (const file of sources) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const start = lines.findIndex((line) => declaration.test(line));
    if (start < 0) continue;
    return `${file}:${start + 1 + memberOffset(lines, start, property)}`;
  }
  return undefined;
}

/** Lines from the class to its property; 0 if the property is not found. */
function memberOffset(
  lines: readonly string[],
  start: number,
  property: string | undefined,
): number {
  if (property === undefined) return 0;
  const nextClass = /^(export\s+)?(default\s+)?(abstract\s+)?class\s/;
  const end = lines.findIndex((line, i) => i > start && nextClass.test(line));
  const body = lines.slice(start, end < 0 ? undefined : end);
  const member = new RegExp(`(^|[\\s'"#])${escaped(property)}['"]?\\s*[!?]?\\s*[:=;]`);
  return Math.max(
    body.findIndex((line) => member.test(line)),
    0,
  );
}

function escaped(name: string): string {
  return name.replace(/[^\w]/g, '\\$&');
}

/** The topmost stack frame that is in one of the sources: `/project/src/reading.ts:12:5`. */
export function stackPosition(error: unknown, sources: readonly string[]): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const frame = /(?:\(|at )(?:file:\/\/)?([^()\s]+?):(\d+):(\d+)\)?$/gm;
  for (const [, file, line, column] of (error.stack ?? '').matchAll(frame))
    if (sources.includes(file)) return `${file}:${line}:${column}`;
  return undefined;
}
