/** The page of a rule: a file of the package. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { heldRules, lintRules, ruleIdFault } from '../../../tools/lint/index.js';
import { UsageError } from '../../command.js';

/** The page as text, and as JSON with the data of the rule. Throws UsageError. */
export function rulePage(id: string): { readonly json: object; readonly text: string } {
  const rule = [...lintRules, ...heldRules].find((each) => each.id === id);
  if (rule === undefined) throw new UsageError(ruleIdFault(id)!);
  const { title, reason, fix, source } = rule;
  const level = 'level' in rule ? rule.level : undefined;
  const text = readPage(id) ?? [`# ${id}: ${title}`, reason, fix, `Source: ${source}`].join('\n\n');
  return { json: { id, level, title, reason, fix, source, page: text }, text };
}

/** docs/lint of the package, which is in a folder above this file, built or not. */
function readPage(id: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (dirname(folder) !== folder) {
    const file = join(folder, 'docs/lint', `${id}.md`);
    if (existsSync(file)) return readFileSync(file, 'utf8');
    folder = dirname(folder);
  }
  return undefined;
}
