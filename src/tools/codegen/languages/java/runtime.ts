/** The files that all generated classes share. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { messagesOfCodes, type Vocabulary, wordsIn } from '../words.js';
import { runtimeClasses } from './names.js';

const vocabulary: Vocabulary = {
  time: 'an Instant',
  integer: 'a whole number',
  bytes: 'a ByteString',
  day: 'a LocalDate',
  map: 'a Map',
  none: 'null',
  booleans: 'true or false',
  decimal: 'a BigDecimal',
  decimalExample: 'one such as new BigDecimal("{example}")',
  versions: 'a List of Version',
};

/** The text of each class, with the sentences of all languages in words of Java. */
export function runtimeTexts(): ReadonlyMap<string, string> {
  const folder = runtimeFolder();
  const texts = new Map(
    runtimeClasses.map((name) => [name, readFileSync(join(folder, `${name}.java`), 'utf8')]),
  );
  const source = [...texts.values()].join('\n');
  texts.set(
    'RowWords',
    texts
      .get('RowWords')!
      .replace('MESSAGES\n', () => filled(Object.entries(messagesOfCodes)))
      .replace('WORDS\n', () => filled(words(source))),
  );
  return texts;
}

const notice = '// Written by rowsmith generate java. Do not edit: the next run overwrites it.\n';

/** The text of a file of the runtime in the output folder. */
export function withNotice(source: string): string {
  return `${notice}\n${source}`;
}

/** The sentences that Java uses. */
function words(source: string): [string, string][] {
  return Object.entries(wordsIn(vocabulary))
    .filter(([name]) => source.includes(`"${name}"`) || name.endsWith('Key'))
    .map(([name, [problem, fix]]) => [name, `${problem} | ${fix}`]);
}

/** The lines of a text block. */
function filled(entries: readonly (readonly [string, string])[]): string {
  return entries
    .map(([name, value]) => `${name}: ${value}`.replaceAll('\\', '\\\\').trimEnd())
    .join('\n          ')
    .concat('\n');
}

/** `runtime/`, which scripts/build.mjs copies to dist/esm/src/java-runtime. */
function runtimeFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = [join(here, 'runtime'), join(here, '../java-runtime')].find(existsSync);
  if (folder === undefined)
    throw new RowsmithError('MISSING_PACKAGE', { property: 'java', ...faults.missingFiles });
  return folder;
}

const faults = {
  missingFiles: {
    problem: 'the files of the Java runtime are not in the package',
    fix: 'run rowsmith from its package in node_modules, not from a bundle of it',
  },
} satisfies FaultTexts;
