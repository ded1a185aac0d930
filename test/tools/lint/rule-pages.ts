/** The pages of the rules in docs/lint, and their examples. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as rowsmith from '../../../src/index.js';
import { root } from '../../support/built-package.js';

export const folder = join(root, 'docs/lint');
export const pageOf = (id: string): string => readFileSync(join(folder, `${id}.md`), 'utf8');

interface Example {
  readonly code: string;
  /** What the bad side gives: findings or faults as text. */
  readonly output: string;
}

/** The first block of a kind. Throws if the page has none. */
function blockOf(page: string, kind: string): string {
  const block = new RegExp(`^\`\`\`${kind}\\n([\\s\\S]*?)\\n\`\`\`$`, 'm').exec(page);
  if (block === null) throw new Error(`the page has no block of ${kind}`);
  return block[1];
}

/** One side of the diff of a page, with its import; and what the bad side gives. */
export function example(page: string, side: 'bad' | 'good'): Example {
  const other = side === 'bad' ? '+' : '-';
  const code = blockOf(page, 'diff')
    .split('\n')
    .filter((line) => !line.startsWith(other))
    .map((line) => line.slice(1))
    .join('\n');
  return { code: `${importFor(code)}\n\n${code}`, output: blockOf(page, 'text') };
}

/** Imports what code uses of the package; the pages leave the import out. */
function importFor(code: string): string {
  const used = new Set(code.match(/\b[A-Za-z]\w*\b/g));
  const declared = new Set([...code.matchAll(/^(?:class|const) (\w+)/gm)].map(([, name]) => name));
  const names = Object.keys(rowsmith).filter((name) => used.has(name) && !declared.has(name));
  const types = ['Version'].filter((name) => used.has(name)).map((name) => `type ${name}`);
  return `import { ${[...names, ...types].join(', ')} } from 'rowsmith';`;
}
