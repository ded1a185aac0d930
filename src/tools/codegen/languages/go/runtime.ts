/** The file that the files of all entities share. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RowsmithError, type FaultTexts } from '../../../../base/index.js';
import { messagesOfCodes, type Vocabulary, type Words, wordsIn } from '../words.js';
import { text } from './layout.js';

const vocabulary: Vocabulary = {
  time: 'a time.Time',
  integer: 'an integer',
  bytes: 'bytes',
  day: 'a day such as 2026-11-28',
  map: 'a map',
  none: 'nil',
  booleans: 'true or false',
  decimal: 'decimal text',
  decimalExample: "text such as '{example}'",
  versions: 'a slice of Version',
};

/** What Go alone says. */
const ownWords: Readonly<Record<string, Words>> = {
  notUtf8: ['the text is not valid UTF-8', 'pass well-formed text'],
};

/** The text of the file, with the sentences that it refuses with; `protos` are .proto files. */
export function goRuntimeText(protos: readonly string[]): string {
  const source = runtimeSource();
  const words = Object.entries({ ...wordsIn(vocabulary), ...ownWords }).filter(([name]) =>
    isUsed(name, source),
  );
  return source
    .replace('\npackage rows\n', () => `\npackage rows\n${generateLine(protos)}`)
    .replace('sentences([][]string{})', () => filled(Object.entries(messagesOfCodes)))
    .replace('sentences([][]string{})', () =>
      filled(words.map(([name, sentences]) => [name, ...sentences])),
    );
}

/** Words of keys of maps are named by the kind of the key. */
function isUsed(name: string, source: string): boolean {
  return source.includes(`"${name}"`) || /^(int|uint|bigint|timestamp|enum)Key$/.test(name);
}

/** What `go generate` runs: protoc puts the messages beside the rows. */
function generateLine(protos: readonly string[]): string {
  if (protos.length === 0) return '';
  const packages = protos.map((path) => `--go_opt=M${path}=./rows`);
  const options = ['--proto_path=../../proto', '--go_out=.', '--go_opt=paths=source_relative'];
  return `\n//go:generate protoc ${[...options, ...packages, ...protos].join(' ')}\n`;
}

/** A list of texts on each line, which gofmt does not align. */
function filled(entries: readonly (readonly string[])[]): string {
  const lines = entries.map((each) => `\t{${each.map(text).join(', ')}},\n`);
  return `sentences([][]string{\n${lines.join('')}})`;
}

/** Its names on the level of the package. */
export function runtimeNames(): ReadonlySet<string> {
  const source = runtimeSource();
  const [, constants] = /^const \(\n([^]*?)^\)/m.exec(source)!;
  const names = [
    ...source.matchAll(/^(?:func|type|var|const) (\w+)/gm),
    ...constants.matchAll(/^\t(\w+)/gm),
  ];
  return new Set(names.map(([, name]) => name));
}

/** The files of `runtime/`, which scripts/build.mjs copies to dist/esm/src/go-runtime. */
function runtimeSource(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = [join(here, 'runtime'), join(here, '../go-runtime')].find(existsSync);
  if (folder === undefined)
    throw new RowsmithError('MISSING_PACKAGE', { property: 'go', ...faults.missingFiles });
  const parts = readdirSync(folder)
    .filter((name) => name.endsWith('.go'))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return `${parts.join('\n\n')}\n`;
}

const faults = {
  missingFiles: {
    problem: 'the files of the Go runtime are not in the package',
    fix: 'run rowsmith from its package in node_modules, not from a bundle of it',
  },
} satisfies FaultTexts;
