/**
 * The shared file of a project, cut out of the files of `runtime/`: it has what the generated files
 * of the project use, and no more. Two rules decide.
 *
 * - Lines between `#if maps` and `#end`, or a line that ends with `#if maps`, belong to features
 *   (features.ts): `a b` is any of two, `a+b` both, `!a` none. In Go and Java, `//if maps`.
 * - A declaration stays if its name is public, or occurs in a generated file or in a declaration
 *   that stays.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RowsmithError, type FaultTexts } from '../../../base/index.js';
import { messagesOfCodes, type Vocabulary, type Words, wordsIn } from './words.js';

/** How the declarations of a language are found in lines. */
export interface Grammar {
  /** The indents of declarations, from the outermost, and blank lines between them at most. */
  readonly levels: readonly (readonly [indent: string, gap: number])[];
  /** The names that a declaration introduces; none for what stays with what is around it. */
  readonly namesOf: (declaration: string) => readonly string[];
  /** Whether users name it, so that no generated file must; `outer` tells this of its class. */
  readonly isPublic: (declaration: string, names: readonly string[], outer: boolean) => boolean;
  /** Lines before a declaration that belong to it. */
  readonly isAttached: RegExp;
  /** The same code without comments, and without text that is no code. */
  readonly codeOf: (source: string) => string;
}

/** A declaration with those in it. */
interface Declaration {
  readonly lines: readonly string[];
  /** Blank lines before it. */
  readonly gap: number;
  readonly names: readonly string[];
  readonly isPublic: boolean;
  readonly inner: readonly Declaration[];
  /** After the inner declarations. */
  readonly last: readonly string[];
}

/** The declarations of a source that are public, or that generated files use. */
export function sharedText(grammar: Grammar, source: string, generated: readonly string[]): string {
  const declarations = declarationsIn(source.split('\n'), grammar, 0, true);
  const kept = reachable(declarations, grammar, generated);
  return `${textOf(declarations, kept).join('\n').trim()}\n`;
}

const block = /^\s*(?:#|\/\/)(if|end)\b ?(.*)$/;
const trailing = /^(.*?\S)\s*(?:#|\/\/)if (.*)$/;

/** The lines of the features, without directives. */
function linesWith(source: string, features: ReadonlySet<string>): readonly string[] {
  const open: boolean[] = [];
  return source.split('\n').flatMap((line) => {
    const [, directive, condition] = block.exec(line) ?? [];
    if (directive === 'if') open.push(holds(condition, features));
    if (directive === 'end') open.pop();
    if (directive !== undefined || open.includes(false)) return [];
    const [, code = line, own] = trailing.exec(line) ?? [];
    return own === undefined || holds(own, features) ? [code] : [];
  });
}

function holds(condition: string, features: ReadonlySet<string>): boolean {
  return condition
    .split(' ')
    .some((any) =>
      any
        .split('+')
        .every((each) =>
          each.startsWith('!') ? !features.has(each.slice(1)) : features.has(each),
        ),
    );
}

function declarationsIn(
  lines: readonly string[],
  grammar: Grammar,
  depth: number,
  isOuterPublic: boolean,
): readonly Declaration[] {
  const [indent, mostGap] = grammar.levels[depth];
  const found: Declaration[] = [];
  let gap = 0;
  let current: string[] = [];
  const flush = (): void => {
    while (current.at(-1) === '') current.pop();
    if (current.length > 0) found.push(declaration(current, gap, grammar, depth, isOuterPublic));
    current = [];
  };
  let blanks = 0;
  for (const line of lines) {
    if (line === '') {
      blanks++;
      current.push(line);
      continue;
    }
    const starts = line.startsWith(indent) && /^[^\s)\]}]/.test(line.slice(indent.length));
    const isAfterAttached = current.length > 0 && grammar.isAttached.test(current.at(-1)!);
    if (starts && !isAfterAttached) {
      flush();
      gap = Math.min(blanks, mostGap);
    }
    blanks = 0;
    current.push(line);
  }
  flush();
  return found;
}

function declaration(
  lines: readonly string[],
  gap: number,
  grammar: Grammar,
  depth: number,
  isOuterPublic: boolean,
): Declaration {
  const start = lines.findIndex((line) => !grammar.isAttached.test(line));
  const source = lines.slice(Math.max(0, start)).join('\n');
  const names = grammar.namesOf(source);
  const isPublic = grammar.isPublic(source, names, isOuterPublic);
  const whole = { lines, gap, names, isPublic, inner: [], last: [] };
  const isClass = /^[^('"=]*\b(class|record|interface) /.test(source);
  if (!isClass || grammar.levels[depth + 1] === undefined) return whole;
  const opening = lines.findIndex((line, i) => i >= start && /[:{]$/.test(line)) + 1;
  const end = /^\s*\}$/.test(lines.at(-1)!) ? lines.length - 1 : lines.length;
  if (opening === 0 || opening >= end) return whole;
  return {
    ...whole,
    lines: lines.slice(0, opening),
    inner: declarationsIn(lines.slice(opening, end), grammar, depth + 1, isPublic),
    last: lines.slice(end),
  };
}

/** The declarations that stay. */
function reachable(
  declarations: readonly Declaration[],
  { codeOf }: Grammar,
  generated: readonly string[],
): ReadonlySet<Declaration> {
  const kept = new Set<Declaration>();
  const used = new Set<string>();
  const use = (source: string): void => {
    for (const [name] of codeOf(source).matchAll(/[A-Za-z_]\w*/g)) used.add(name);
  };
  generated.forEach(use);
  const visit = (each: Declaration): void => {
    if (!kept.has(each)) {
      if (!each.isPublic && each.names.length > 0 && !each.names.some((name) => used.has(name)))
        return;
      kept.add(each);
      use([...each.lines, ...each.last].join('\n'));
    }
    each.inner.forEach(visit);
  };
  for (let before = -1; before !== kept.size;) {
    before = kept.size;
    declarations.forEach(visit);
  }
  return kept;
}

function textOf(
  declarations: readonly Declaration[],
  kept: ReadonlySet<Declaration>,
): readonly string[] {
  const found: string[] = [];
  let gap = 0;
  for (const each of declarations) {
    gap = Math.max(gap, each.gap);
    if (!kept.has(each)) continue;
    if (found.length > 0) found.push(...Array<string>(gap).fill(''));
    gap = 0;
    found.push(...withoutRuns(each.lines), ...textOf(each.inner, kept), ...each.last);
  }
  return found;
}

/** Without blank lines that parts left behind. */
function withoutRuns(lines: readonly string[]): readonly string[] {
  return lines.filter((line, i) => {
    if (line !== '') return true;
    const after = lines.slice(i).find((each) => each !== '') ?? '';
    return lines[i - 1] !== '' && !/[{(:]$/.test(lines[i - 1]) && !/^\s*[)\]}]/.test(after);
  });
}

/** The sentences that a shared file refuses with, as lines of `name: problem | fix`. */
export function sentencesIn(
  source: string,
  features: ReadonlySet<string>,
  vocabulary: Vocabulary,
  own: Readonly<Record<string, Words>> = {},
): readonly string[] {
  return Object.entries({ ...wordsIn(vocabulary), ...own })
    .filter(
      ([name]) => source.includes(`"${name}"`) || features.has(`map.${name.replace(/Key$/, '')}`),
    )
    .map(([name, [problem, fix]]) => `${name}: ${problem} | ${fix}`.trimEnd());
}

/** The messages of the codes that a shared file throws, as lines of `CODE: message`. */
export function messagesIn(source: string): readonly string[] {
  return Object.entries(messagesOfCodes)
    .filter(([code]) => source.includes(`"${code}"`))
    .map(([code, message]) => `${code}: ${message}`);
}

/** The lines of some features in the files of `runtime/`. */
export function runtimeSource(language: string, features: ReadonlySet<string>): string {
  return linesWith(runtimeFiles(language), features).join('\n');
}

/** The files of `runtime/`, which scripts/build.mjs copies to dist/esm/src/<language>-runtime. */
export function runtimeFiles(language: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = [join(here, language, 'runtime'), join(here, `../${language}-runtime`)];
  const folder = folders.find(existsSync);
  if (folder === undefined)
    throw new RowsmithError('MISSING_PACKAGE', {
      property: language,
      ...faults.missingFiles(language),
    });
  const files = readdirSync(folder).sort();
  return files.map((name) => readFileSync(join(folder, name), 'utf8').trimEnd()).join('\n\n\n');
}

const faults = {
  missingFiles: (language: string) => ({
    problem: `the files of the runtime for ${language} are not in the package`,
    fix: 'run rowsmith from its package in node_modules, not from a bundle of it',
  }),
} satisfies FaultTexts;
