/** A row that was named and does not exist. */
import type { EntityModel } from '../../../../entities/model/index.js';
import type { Terminal } from '../../../terminal/terminal.js';
import { segmentTextForms } from '../../../../data/text/index.js';

/** Segments as they are given on the command line: `shop=oslo n=1`. */
export function keyText(model: EntityModel, key: Readonly<Record<string, unknown>>): string {
  return model.segments
    .filter(({ property }) => property in key)
    .map(({ property, type }) => {
      const value = key[property];
      if (value === null) return `${property}:=null`;
      return `${property}=${shellText(String(segmentTextForms[type.kind].format(value)))}`;
    })
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
  terminal.printError(`there is no ${name} with ${keyText(place, key)}; ${consequence}`, more);
  return 'failed';
}
