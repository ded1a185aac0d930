/**
 * The sentences of errors and findings are data: catalogues beside the code that finds the faults
 * (src/base/faults.ts). The golden file shows all of them, to be read and reviewed as a set.
 */
import ts from 'typescript';
import { expectGolden } from './support/golden.js';
import {
  catalogues,
  isSentenceName,
  type Sentence,
  sentences,
  sources,
  visit,
} from './support/sentences.js';

test('all sentences', () => {
  let path = '';
  const lines: string[] = [];
  for (const sentence of sentences()) {
    if (sentence.path !== path) lines.push('', (path = sentence.path));
    const { fault, part, shell } = sentence;
    let name = part === 'problem' ? `  ${fault}: ` : '      fix: ';
    if (shell) name = `      in the shell, ${part}: `;
    lines.push(name + sentence.text);
  }
  expectGolden('faults.txt', `${lines.join('\n').trimStart()}\n`);
});

test('a sentence is in a catalogue, and nowhere else', () => {
  const strays = sources.flatMap((source) => straySentences(source));
  expect(strays).toEqual([]);
});

/** Sentences of the API answer in Google's own words, which begin with a capital. */
const googlesWords = /^src\/(engines\/protocol|server)\//;

test('sentences have no capital and no full stop, because others are built of them', () => {
  const wrong = sentences().filter(
    ({ path, text }) =>
      !googlesWords.test(path) &&
      ((/^[A-Z][a-z]+ [a-z]/.test(text) && !/^Bigtable /.test(text)) || /[^.]\.$/.test(text)),
  );
  expect(wrong.map(shown)).toEqual([]);
});

test('nouns stand where a pronoun would have to be resolved', () => {
  const chains = /\b(that|those) of\b|\bthe one that\b|\bwhose\b|\bthe others\b/;
  expect(
    sentences()
      .filter(({ text }) => chains.test(text))
      .map(shown),
  ).toEqual([]);
});

function shown({ path, fault, part, text }: Sentence): string {
  return `${path} ${fault}.${part}: ${text}`;
}

/** Literals of several words as `problem` or `fix` outside of catalogues. */
function straySentences(source: ts.SourceFile): readonly string[] {
  const inside = catalogues(source);
  const strays: string[] = [];
  visit(source, (node) => {
    if (!ts.isPropertyAssignment(node) || !isSentenceName(node.name.getText())) return;
    const isDeclared = inside.some(({ pos, end }) => pos <= node.pos && node.end <= end);
    if (isDeclared || !hasWords(node.initializer) || isFixAlone(node)) return;
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    strays.push(`${source.fileName}:${line + 1}: ${node.getText().slice(0, 80)}`);
  });
  return strays;
}

/** Where the message of the code says what is wrong, or a lint rule says what to do in general. */
function isFixAlone({ name, parent }: ts.PropertyAssignment): boolean {
  return (
    name.getText() === 'fix' &&
    !parent.properties.some((each) => each.name?.getText() === 'problem')
  );
}

function hasWords(node: ts.Node): boolean {
  let found = false;
  visit(node, (each) => {
    const text =
      ts.isStringLiteralLike(each) || ts.isTemplateExpression(each) ? each.getText() : '';
    if (/\w \w/.test(text)) found = true;
  });
  return found;
}
