/** A row that was named and does not exist. */
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { segmentTextForms } from '../../../../data/text/index.js';
import { cellText } from './row-printer.js';

type Key = Readonly<Record<string, unknown>>;

/** Segments as they are given on the command line: `shop=oslo n=1`. */
export function keyText(model: EntityModel, key: Key): string {
  const json = model.segments
    .filter(({ property }) => property in key)
    .map(({ property, type }): [string, unknown] => {
      const value = key[property];
      return [property, value === null ? null : segmentTextForms[type.kind].format(value)];
    });
  return jsonKeyText(Object.fromEntries(json));
}

/** The same of segments in their JSON form. */
export function jsonKeyText(key: Key): string {
  return Object.entries(key)
    .map(([name, value]) =>
      value === null ? `${name}:=null` : `${name}=${shellText(cellText(value))}`,
    )
    .join(' ');
}

/** A value as a shell reads it. */
function shellText(text: string): string {
  if (/^[\w.,:@%+/-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * Reports that a row does not exist; returns how the command ends. `place` is the entity, or the
 * index of the given values; `consequence` says what follows, and `more` is added to the JSON.
 */
export function reportMissing(
  terminal: Terminal,
  { name }: EntityModel,
  place: EntityModel,
  key: Readonly<Record<string, unknown>>,
  consequence: string,
  more: object = {},
): 'failed' {
  terminal.printError(`there is no ${name} with ${keyText(place, key)}; ${consequence}`, {
    code: 'ROW_NOT_FOUND',
    ...more,
  });
  return 'failed';
}
