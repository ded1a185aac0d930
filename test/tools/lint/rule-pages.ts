/** The pages of the rules in docs/lint, and their examples. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../support/built-package.js';

export const folder = join(root, 'docs/lint');
export const pageOf = (id: string): string => readFileSync(join(folder, `${id}.md`), 'utf8');

interface Example {
  readonly code: string;
  /** What it gives: findings or faults as text; undefined if nothing is printed. */
  readonly output: string | undefined;
}

/** The example below a heading; undefined if the page has no such heading. */
export function example(page: string, heading: string): Example | undefined {
  const section = new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page);
  if (section === null) return undefined;
  const block = (kind: string): string | undefined =>
    new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)\n\`\`\`$`, 'm').exec(section[1])?.[1];
  return { code: block('ts')!, output: block('text') };
}
