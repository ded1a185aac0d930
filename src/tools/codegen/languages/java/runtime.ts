/** The class that all generated records share. */
import {
  type Grammar,
  messagesIn,
  runtimeSource,
  sentencesIn,
  sharedText,
} from '../shared-file.js';
import type { Vocabulary } from '../words.js';

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

const notice = '// Written by rowsmith generate java. Do not edit: the next run overwrites it.\n';

/** The text of the class for records with some features. */
export function javaRuntimeText(features: ReadonlySet<string>, records: readonly string[]): string {
  const shared = sharedText(grammar, runtimeSource('java', features), records);
  return `${notice}\n${shared
    .replace('          MESSAGES\n', () => indented(messagesIn(shared)))
    .replace('          WORDS\n', () => indented(sentencesIn(shared, features, vocabulary)))}`;
}

/** Lines of a text block. */
function indented(texts: readonly string[]): string {
  return texts.map((each) => `          ${each.replaceAll('\\', '\\\\')}\n`).join('');
}

/** Comments and texts, from left to right: each may hold what starts the other. */
const notCode = /\/\*[^]*?\*\/|"""[^]*?"""|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|\/\/.*/g;

const grammar: Grammar = {
  levels: [
    ['', 1],
    ['  ', 1],
    ['    ', 1],
  ],
  namesOf,
  isPublic: (declaration) => /^ *public /.test(declaration),
  isAttached: /^ *(@|\/\/|\/?\*)/,
  codeOf: (code) => code.replace(/^import .*/gm, '').replace(notCode, '""'),
};

function namesOf(declaration: string): readonly string[] {
  const [, name] =
    /^import .*?(\w+);/.exec(declaration) ??
    /^[^("=]*\b(?:class|record|interface|enum) (\w+)/.exec(declaration) ??
    /^[^("=;]*?(\w+)(?:\(| =|;)/.exec(declaration) ??
    [];
  // Constructors and fields of the language stay with their class.
  const isKept = name === undefined || /^package |serialVersionUID/.test(declaration);
  return isKept ? [] : [name];
}
