/** The layout of help: plain texts, wrapped to the width of the terminal. */
import type { Command, Help, Option } from 'commander';

/** Columns of help that is not printed on a terminal, and at most on one. */
export const maxHelpWidth = 100;
/** Commander does not wrap text below 40 columns, and descriptions have less than the terminal. */
export const minWidthToWrap = 1;
/** The column at which the description of an option begins. */
const descriptionColumn = 21;
/** Columns below which descriptions are written under their options. */
const narrowWidth = 70;

/** Texts of a command that commander has no place for. */
export interface HelpTexts {
  readonly usage: string;
  readonly about: string;
  /** Options to list; other options are accepted, and described by the help of `rowsmith`. */
  readonly options: readonly Option[];
  readonly closing: string;
}

/** The help of one command. */
export function commandHelp(texts: HelpTexts, helper: Help): string {
  const { usage, about, options, closing } = texts;
  const items = options.map((option) => optionItem(option, helper));
  return [
    usageText(usage, helper),
    paragraphs(about, helper),
    items.join('\n'),
    paragraphs(closing, helper),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The help of `rowsmith` itself: its commands, and the options of every command. */
export function programHelp(program: Command, texts: HelpTexts, helper: Help): string {
  const commands = helper.visibleCommands(program);
  const width = Math.max(...commands.map((command) => command.name().length));
  const list = commands.map((command) =>
    indented(`${command.name().padEnd(width)}  `, command.description(), helper),
  );
  const items = texts.options.map((option) => optionItem(option, helper));
  return [
    usageText(texts.usage, helper),
    list.join('\n'),
    [helper.boxWrap('Options of every command:', widthOf(helper)), ...items].join('\n'),
    paragraphs(texts.closing, helper),
  ].join('\n\n');
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

/** An option and its description, in a column of its own or below. */
function optionItem({ flags: marked, description }: Option, helper: Help): string {
  // Commander marks values as <VALUE>.
  const flags = marked.replaceAll(/[<>]/g, '');
  if (widthOf(helper) < narrowWidth) return `  ${flags}\n${below(description, 6, helper)}`;
  if (flags.length + 2 >= descriptionColumn)
    return `  ${flags}\n${below(description, descriptionColumn, helper)}`;
  return indented(flags.padEnd(descriptionColumn - 2), description, helper);
}

function below(description: string, column: number, helper: Help): string {
  const padding = ' '.repeat(column);
  const lines = helper.boxWrap(description, widthOf(helper) - column);
  return padding + lines.replaceAll('\n', `\n${padding}`);
}

/** A text with further lines that begin below the end of its term. */
function indented(term: string, description: string, helper: Help): string {
  const column = term.length + 2;
  return `  ${term}${below(description, column, helper).slice(column)}`;
}
