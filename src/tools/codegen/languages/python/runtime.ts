/** The file that all generated modules share. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { messagesOfCodes, type Vocabulary, wordsIn } from '../words.js';
import { lines, prefixed, type PythonSource, text } from './layout.js';

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

/** The text of the file: its parts, with the sentences of all languages in words of Python. */
export function runtimeText(): string {
  const source = `${parts().join('\n\n\n')}\n`;
  return source
    .replace('MESSAGES: Final[dict[str, str]] = {}', () =>
      filled('MESSAGES: Final[dict[str, str]] = ', messageItems()),
    )
    .replace('WORDS: Final[dict[str, tuple[str, str]]] = {}', () =>
      filled('WORDS: Final[dict[str, tuple[str, str]]] = ', wordItems()),
    );
}

function filled(start: string, items: readonly PythonSource[]): string {
  return lines(prefixed(start, { before: '', open: '{', items, after: '' })).join('\n');
}

function messageItems(): readonly PythonSource[] {
  return Object.entries(messagesOfCodes).map(
    ([code, message]) => `${text(code)}: ${text(message)}`,
  );
}

function wordItems(): readonly PythonSource[] {
  return Object.entries(wordsIn(vocabulary)).map(([name, [problem, fix]]) => ({
    before: `${text(name)}: `,
    open: '(',
    items: [text(problem), text(fix)],
    after: '',
  }));
}

/** The files of `runtime/`, which scripts/build.mjs copies to dist/esm/src/python-runtime. */
function parts(): readonly string[] {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = [join(here, 'runtime'), join(here, '../python-runtime')].find(existsSync);
  if (folder === undefined)
    throw new RowsmithError('MISSING_PACKAGE', { property: 'python', ...faults.missingFiles });
  return readdirSync(folder)
    .filter((name) => name.endsWith('.py'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
}

const faults = {
  missingFiles: {
    problem: 'the files of the Python runtime are not in the package',
    fix: 'run rowsmith from its package in node_modules, not from a bundle of it',
  },
} satisfies FaultTexts;
