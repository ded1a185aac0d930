/**
 * Where a class or a property of the user's stands, found by reading the sources: models know no
 * files.
 */
import { readFileSync } from 'node:fs';

/**
 * `/project/src/reading.ts:12` of the property, or of the class; undefined where no source declares
 * such a class.
 */
export function sourcePlace(
  sources: readonly string[],
  className: string,
  property?: string,
): string | undefined {
  for (const file of sources) {
    const lines = readFileSync(file, 'utf8').split('\n');
    const start = lines.findIndex((line) =>
      new RegExp(
        `\\bclass\\s+${escaped(className)}\\b|\\bdefine(Entity|Message)\\(\\s*['"]?${escaped(className)}\\b`,
      ).test(line),
    );
    if (start < 0) continue;
    const end = lines.findIndex(
      (line, i) => i > start && /^(export\s+)?(default\s+)?(abstract\s+)?class\s/.test(line),
    );
    const member =
      property === undefined
        ? -1
        : lines
            .slice(start, end < 0 ? undefined : end)
            .findIndex((line) =>
              new RegExp(`(^|[\\s'"#])${escaped(property)}['"]?\\s*[!?]?\\s*[:=;]`).test(line),
            );
    return `${file}:${start + 1 + Math.max(member, 0)}`;
  }
  return undefined;
}

function escaped(name: string): string {
  return name.replace(/[^\w]/g, '\\$&');
}

/** The first place of a stack that lies in one of the sources: `/project/src/reading.ts:12:5`. */
export function stackPlace(error: unknown, sources: readonly string[]): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const places = [...stack.matchAll(/(?:\(|at )(?:file:\/\/)?([^()\s]+?):(\d+):(\d+)\)?$/gm)].map(
    ([, file, line, column]) => ({ file, line, column }),
  );
  const found = places.find(({ file }) => sources.includes(file));
  return found === undefined ? undefined : `${found.file}:${found.line}:${found.column}`;
}
