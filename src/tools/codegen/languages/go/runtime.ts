/** The file that the files of all entities share. */
import {
  type Grammar,
  messagesIn,
  runtimeFiles,
  runtimeSource,
  sentencesIn,
  sharedText,
} from '../shared-file.js';
import type { Vocabulary, Words } from '../words.js';
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

/** The text of the file for files of entities with some features; `protos` are .proto files. */
export function goRuntimeText(
  features: ReadonlySet<string>,
  files: readonly string[],
  protos: readonly string[],
): string {
  const shared = sharedText(grammar, runtimeSource('go', features), files);
  const words = sentencesIn(shared, features, vocabulary, ownWords);
  return withImports(shared)
    .replace('\npackage rows\n', () => `\npackage rows\n${generateLine(protos)}`)
    .replace('\tCODES\n', () => listed(messagesIn(shared)))
    .replace('\tWORDS\n', () => listed(words));
}

/** `name: text | text` as a list of texts on each line, which gofmt does not align. */
function listed(sentences: readonly string[]): string {
  return sentences
    .map((each) => {
      const [, name, problem, fix = ''] = /^(\w+): (.*?)(?: \| ?(.*))?$/.exec(
        each.replace(/ \|$/, ''),
      )!;
      return `\t{${[name, problem, ...(fix === '' ? [] : [fix])].map(text).join(', ')}},\n`;
    })
    .join('');
}

/** Without imports that nothing uses. */
function withImports(source: string): string {
  const code = grammar.codeOf(source);
  return source.replace(/^import \(\n([^]*?)^\)/m, (_, lines: string) => {
    const used = lines.split('\n').filter((line) => {
      const [, name] = /(\w+)"$/.exec(line) ?? [];
      return name === undefined || new RegExp(`(?<![\\w.])${name}\\.`).test(code);
    });
    return `import (\n${used.join('\n')})`;
  });
}

/** What `go generate` runs: protoc puts the messages beside the rows. */
function generateLine(protos: readonly string[]): string {
  if (protos.length === 0) return '';
  const packages = protos.map((path) => `--go_opt=M${path}=./rows`);
  const options = ['--proto_path=../../proto', '--go_out=.', '--go_opt=paths=source_relative'];
  return `\n//go:generate protoc ${[...options, ...packages, ...protos].join(' ')}\n`;
}

/** Its names on the level of the package, whatever the features. */
export function runtimeNames(): ReadonlySet<string> {
  const names = runtimeFiles('go').matchAll(/^(?:func|type|var|const) (\w+)/gm);
  return new Set([...names].map(([, name]) => name));
}

/** Comments and texts, from left to right: each may hold what starts the other. */
const notCode = /"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+'|\/\/.*/g;

const grammar: Grammar = {
  levels: [['', 1]],
  namesOf: (declaration) => {
    const [, name] = /^(?:func (?:\(.*?\) )?|type |var |const )(\w+)/.exec(declaration) ?? [];
    return name === undefined ? [] : [name];
  },
  isPublic: (_, names) => names.some((name) => /^[A-Z]/.test(name)),
  isAttached: /^\/\//,
  codeOf: (code) => code.replace(/^import \([^]*?^\)/gm, '').replace(notCode, '""'),
};
