/** The layout of help: plain texts, wrapped to the width of the terminal. */
import { constants } from 'node:os';
import type { Help } from 'commander';
import { type Command, exit, type Exits, type OptionSpecs } from '../command.js';
import { commands } from '../commands.js';
import { globals } from './globals.js';

/** Columns of help that is not printed on a terminal, and at most on one. */
export const maxHelpWidth = 100;
/** Commander does not wrap text below 40 columns, and descriptions have less than the terminal. */
export const minWidthToWrap = 1;
/** The column at which the description of an option begins. */
const descriptionColumn = 21;
/** Columns below which descriptions are written under their options. */
const narrowWidth = 70;

/** The help of one command: all that it declares. */
export function commandHelp(usage: string, command: Command, helper: Help): string {
  const { about, options = {}, examples, exits = {} } = command;
  const codes = exitTexts(exits).map(([code, meaning]) => indented(`  ${code}`, meaning, helper));
  return [
    usageText(usage, helper),
    paragraphs(about, helper),
    optionItems(options, helper).join('\n'),
    section('Examples:', exampleItems(examples, helper)),
    section('Exit codes:', codes),
    jsonText(command, helper),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The help of `rowsmith` itself: its commands, and the options of every command. */
export function programHelp(helper: Help): string {
  const width = Math.max(...[...commands.keys()].map((name) => name.length));
  const groups = new Map<string, string[]>();
  for (const [name, { group, summary }] of commands) {
    const list = groups.get(group) ?? [];
    groups.set(group, [...list, indented(`  ${name.padEnd(width)}`, summary, helper)]);
  }
  const lists = [...groups].map(([group, list]) => section(`${group}:`, list));
  const head = helper.boxWrap('Options of every command:', widthOf(helper));
  return [
    usageText('rowsmith COMMAND [options]', helper),
    ...lists,
    section(head, optionItems(globals, helper)),
    paragraphs(
      'Exit codes: 0 done, 1 failed, 2 usage error, 3 a difference was found, 4 partly done.',
      helper,
    ),
  ].join('\n\n');
}

function section(head: string, items: readonly string[]): string {
  return items.length === 0 ? '' : [head, ...items].join('\n');
}

/** Lines with what they do beside them, if there is room for both, or else below. */
function exampleItems(examples: Command['examples'], helper: Help): readonly string[] {
  const [longest, widest] = [0, 1].map((i) => Math.max(...examples.map((each) => each[i].length)));
  const isNarrow = `  rowsmith   `.length + longest + widest > widthOf(helper);
  return examples.map(([line, does]) =>
    isNarrow
      ? `  rowsmith ${line}\n${below(does, 6, helper)}`
      : indented(`  rowsmith ${line.padEnd(longest)}`, does, helper),
  );
}

/** The exit codes of a command, with their meanings. */
export function exitTexts({ stopped, ...exits }: Exits): readonly (readonly [string, string])[] {
  const names = Object.keys(exits) as (keyof typeof exits)[];
  const codes = names.map((name) => [String(exit[name]), exits[name]!] as const);
  if (stopped === undefined) return codes;
  const signals = (['SIGINT', 'SIGTERM'] as const).map((name) => 128 + constants.signals[name]);
  return [...codes, [signals.join(', '), `Ctrl-C or SIGTERM: ${stopped}`]];
}

/** What --json prints. */
function jsonText({ json, rows = false }: Command, helper: Help): string {
  const shapes = typeof json === 'string' ? { '': json } : json;
  const head = rows ? 'With --json, or in a pipe, each line is' : 'With --json';
  const lines = Object.entries(shapes).map(([when, shape]) => {
    const label = when === '' ? '' : `${when}: `;
    return below(`${label}${shape.replaceAll(/\s+/g, ' ').trim()}`, 2, helper);
  });
  return section(helper.boxWrap(`${head}:`, widthOf(helper)), lines);
}

const usageHead = 'Usage: ';

/** The usage of a command; further lines begin below its name. */
function usageText(usage: string, helper: Help): string {
  const text = below(usage, usageHead.length, helper);
  return usageHead + text.slice(usageHead.length);
}

function widthOf(helper: Help): number {
  return Math.min(helper.helpWidth ?? maxHelpWidth, maxHelpWidth);
}

/** A line break is a space; lists, which begin with a space, are kept as they are if they fit. */
function paragraphs(text: string, helper: Help): string {
  return text
    .split('\n\n')
    .map((paragraph) =>
      paragraph.startsWith(' ')
        ? listText(paragraph, helper)
        : helper.boxWrap(paragraph.replaceAll('\n', ' '), widthOf(helper)),
    )
    .join('\n\n');
}

/** Lines `  term  description`; further lines of a description are indented by more. */
function listText(list: string, helper: Help): string {
  const lines = list.split('\n');
  if (lines.every((line) => line.length <= widthOf(helper))) return list;
  const items: { readonly term: string; description: string }[] = [];
  for (const line of lines) {
    const [, term, description = ''] = /^ {2}(\S.*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
    if (term !== undefined) items.push({ term, description });
    else items.at(-1)!.description += ` ${line.trim()}`;
  }
  return items
    .map(({ term, description }) => {
      const text = description.trim();
      return text === '' ? `  ${term}` : `  ${term}\n${below(text, 6, helper)}`;
    })
    .join('\n');
}

function optionItems(options: OptionSpecs, helper: Help): string[] {
  const short: Readonly<Record<string, string>> = { help: ', -h', version: ', -v' };
  return Object.entries(options).map(([name, { value, about }]) => {
    const ending = value === undefined ? (short[name] ?? '') : ` ${value}`;
    return item(`--${name}${ending}`, about, helper);
  });
}

/** A term and its description, beside it or below. */
function item(term: string, description: string, helper: Help): string {
  if (widthOf(helper) < narrowWidth) return `  ${term}\n${below(description, 6, helper)}`;
  if (term.length + 2 >= descriptionColumn)
    return `  ${term}\n${below(description, descriptionColumn, helper)}`;
  return indented(`  ${term.padEnd(descriptionColumn - 4)}`, description, helper);
}

function below(description: string, column: number, helper: Help): string {
  const padding = ' '.repeat(column);
  const lines = helper.boxWrap(description, widthOf(helper) - column);
  return padding + lines.replaceAll('\n', `\n${padding}`);
}

/** A term with the first line of its description; further lines begin below that. */
function indented(term: string, description: string, helper: Help): string {
  const column = term.length + 2;
  return `${term}  ${below(description, column, helper).slice(column)}`;
}
