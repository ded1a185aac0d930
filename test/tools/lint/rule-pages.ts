/** The pages of the rules in docs/lint, and their examples. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as rowsmith from '../../../src/index.js';
import { root } from '../../support/built-package.js';

export const folder = join(root, 'docs/lint');
export const pageOf = (id: string): string => readFileSync(join(folder, `${id}.md`), 'utf8');

interface Example {
  readonly code: string;
  /** What it gives: findings or faults as text; undefined if nothing is printed. */
  readonly output: string | undefined;
}

/** The section below a heading. Throws if the page has no such heading. */
function blockOf(page: string, heading: string, kind: string): string | undefined {
  const section = new RegExp(`^## ${heading}$([\\s\\S]*?)(?=^## |$(?![\\s\\S]))`, 'm').exec(page);
  if (section === null) throw new Error(`the page has no heading ${heading}`);
  return new RegExp(`^\`\`\`${kind}\n([\\s\\S]*?)\n\`\`\`$`, 'm').exec(section[1])?.[1];
}

/** The example below a heading, with its import. A good example may be changes of the bad one. */
export function example(page: string, heading: 'Bad' | 'Good'): Example {
  const changes = blockOf(page, heading, 'diff');
  const code =
    changes === undefined
      ? blockOf(page, heading, 'ts')!
      : changed(blockOf(page, 'Bad', 'ts')!, changes);
  return { code: `${importFor(code)}\n\n${code}`, output: blockOf(page, heading, 'text') };
}

/** Lines with the changes of a diff, which names lines in their order, without positions. */
function changed(text: string, diff: string): string {
  const lines = text.split('\n');
  const result: string[] = [];
  for (const line of diff.split('\n')) {
    const content = line.slice(1);
    if (line.startsWith('+')) {
      result.push(content);
      continue;
    }
    const at = lines.indexOf(content);
    if (at < 0) throw new Error(`the bad example has no line: ${content}`);
    result.push(...lines.splice(0, at + 1));
    if (line.startsWith('-')) result.pop();
  }
  return [...result, ...lines].join('\n');
}

/** Imports what code uses of the package; the pages leave the import out. */
function importFor(code: string): string {
  const used = new Set(code.match(/\b[A-Za-z]\w*\b/g));
  const declared = new Set([...code.matchAll(/^(?:class|const) (\w+)/gm)].map(([, name]) => name));
  const names = Object.keys(rowsmith).filter((name) => used.has(name) && !declared.has(name));
  const types = ['Version'].filter((name) => used.has(name)).map((name) => `type ${name}`);
  return `import { ${[...names, ...types].join(', ')} } from 'rowsmith';`;
}
