/** The file that all generated modules share. */
import {
  type Grammar,
  messagesIn,
  runtimeSource,
  sentencesIn,
  sharedText,
} from '../shared-file.js';
import type { Vocabulary } from '../words.js';
import { call, lines } from './layout.js';

const vocabulary: Vocabulary = {
  time: 'a datetime',
  integer: 'an int',
  bytes: 'bytes',
  day: 'a date',
  map: 'a dict',
  none: 'None',
  booleans: 'True or False',
  decimal: 'a Decimal',
  decimalExample: 'one such as Decimal("{example}")',
  versions: 'a list of Version',
};

/** The text of the file for modules with some features. */
export function pythonRuntimeText(
  features: ReadonlySet<string>,
  modules: readonly string[],
): string {
  const source = runtimeSource('python', features);
  const shared = withImports(sharedText(grammar(source), source, modules));
  return shared
    .replace('    CODES\n', () => indented(messagesIn(shared)))
    .replace('    WORDS\n', () => indented(sentencesIn(shared, features, vocabulary)));
}

function indented(texts: readonly string[]): string {
  return texts.map((each) => `    ${each.replaceAll('\\', '\\\\')}\n`).join('');
}

function grammar(source: string): Grammar {
  // What `__all__` lists is public.
  const [, listed] = /^__all__ = \[\n([^]*?)^\]/m.exec(source)!;
  const all = new Set([...listed.matchAll(/"(\w+)"/g)].map(([, name]) => name));
  return {
    levels: [
      ['', 2],
      ['    ', 1],
    ],
    namesOf,
    isPublic: (declaration, names, outer) =>
      declaration.startsWith(' ')
        ? outer && names.some((name) => !name.startsWith('_'))
        : names.some((name) => all.has(name)),
    isAttached: /^ *(@|#)/,
    codeOf: (code) => code.replace(/^(from|import) .*/gm, '').replace(notCode, textOfFormats),
  };
}

/** Comments and texts, from left to right: each may hold what starts the other. */
const notCode = /"""[^]*?"""|([rbf]?)(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|#.*/g;

/** Formatted strings have code in them. */
function textOfFormats(found: string, prefix: string | undefined): string {
  return prefix === 'f' ? found : '""';
}

function namesOf(declaration: string): readonly string[] {
  const [, name] =
    /^ *(?:def|class|import) (\w+)/.exec(declaration) ??
    /^from \S+ import (\w+)/.exec(declaration) ??
    /^ *(\w+)(?:: .*)? = /.exec(declaration) ??
    /^ *(\w+): /.exec(declaration) ??
    [];
  // `__init__` and other names of the language stay with their class.
  const isKept = name === undefined || name.startsWith('__') || /^from __/.test(declaration);
  return isKept ? [] : [name];
}

/** Imports from a module as one statement. */
function withImports(source: string): string {
  return source.replace(/^from (\S+) import \w+\n(?:from \1 import \w+\n)*/gm, (found, module) => {
    const names = [...found.matchAll(/import (\w+)/g)].map(([, name]) => name);
    const start = `from ${module as string} import `;
    const oneLine = start + names.join(', ');
    return `${(oneLine.length <= 88 ? [oneLine] : lines(call(start, names))).join('\n')}\n`;
  });
}
