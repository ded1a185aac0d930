/** `rowsmith keys`: encodes, decodes and verifies row keys. */
import { printable, toHex } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import { defineCommand, exit, text, UsageError } from '../../command.js';
import { loadProject, type Project } from '../../project/load-project.js';
import type { Terminal } from '../../terminal/terminal.js';
import { keyBytes, keyForm, type KeyForm, keyForms } from './input/key-bytes.js';
import { wholeKey } from './input/key-conditions.js';
import { findPattern, pickOptions, readCall } from './input/read-call.js';
import { keyPlace } from './input/read-query.js';
import { RowPrinter } from './output/row-printer.js';
import { findEntity } from './session.js';
import { verifyKeys } from './verify-keys.js';

const options = {
  as: text(
    'FORM',
    'hex, base64 or text, where other bytes than printable ASCII are \\xNN. decode: the form of ' +
      'BYTES, default text. encode: print only this form',
    keyForms,
  ),
  sample: text('ROWS', 'verify: read about so many keys of each table, from all its parts'),
  ...pickOptions('index', 'url'),
};

/** The command. */
export const keys = defineCommand({
  usage: '(encode | decode | verify) ARGUMENTS [options]',
  about: `Encodes, decodes and verifies row keys.

  keys encode ENTITY (SEGMENT=VALUE... | JSON)
                     Print the row key of segment values
  keys decode BYTES [ENTITY]
                     Print the entities with keys of these bytes, with the segments, and why the
                     other entities do not. Exit code 1: no entity decodes them
  keys verify [ENTITY...]
                     Read the stored keys of the tables of these entities, or of all, and report
                     those that no entity decodes, by reason: do this before a row key schema is
                     registered. Exit code 3: there are such keys`,
  arguments: [
    { name: 'action', kind: ['encode', 'decode', 'verify'] },
    { name: 'ARGUMENT', kind: { anyOf: ['entity', 'segment'] }, repeatable: true },
  ],
  options,
  async run({ values, positionals }, context) {
    const [action, ...rest] = positionals;
    const form = keyForm(values.as);
    if (action !== 'verify' && (values.sample ?? values.url) !== undefined)
      throw new UsageError('--sample and --url are options of verify');
    if (action !== 'encode' && values.index !== undefined)
      throw new UsageError('--index is an option of encode');
    if (action === 'verify' && values.as !== undefined)
      throw new UsageError('--as is an option of encode and decode');
    const { terminal } = context;
    switch (action) {
      case 'encode': {
        const project = await loadProject(context);
        return encode(terminal, project, { rest, form, index: values.index });
      }
      case 'decode': {
        if (rest.length === 0 || rest.length > 2)
          throw new UsageError('keys decode takes the bytes of one key, and at most one entity');
        return decode(terminal, await loadProject(context), { rest, form });
      }
      case 'verify':
        return verifyKeys(rest, values, context);
      default:
        throw new UsageError('keys takes encode, decode or verify');
    }
  },
});

interface EncodeCall {
  readonly rest: readonly string[];
  readonly form: KeyForm | undefined;
  readonly index: string | undefined;
}

function encode(
  terminal: Terminal,
  project: Project,
  { rest, form, index: name }: EncodeCall,
): number {
  const call = readCall({ values: { index: name }, positionals: rest });
  const model = findEntity(project, call.entity, 'rowsmith keys encode ENTITY SEGMENT=VALUE...');
  if (call.pattern !== undefined) findPattern(model, call.pattern);
  const place = keyPlace(model, call);
  const key = place.model.key.encode(wholeKey(place, call));
  const forms = {
    hex: toHex(key),
    text: printable(key),
    base64: Buffer.from(key).toString('base64'),
  };
  if (form !== undefined && !terminal.json) terminal.print(forms[form]);
  else if (terminal.isForPeople)
    for (const [each, text] of Object.entries(forms)) terminal.print(`${each.padEnd(6)}  ${text}`);
  else terminal.writeJsonLine({ entity: model.name, ...forms });
  return exit.ok;
}

interface DecodeCall {
  readonly rest: readonly string[];
  readonly form: KeyForm | undefined;
}

function decode(terminal: Terminal, project: Project, { rest, form }: DecodeCall): number {
  const [text, name] = rest;
  let { models } = project;
  if (name !== undefined)
    models = [findEntity(project, name, 'rowsmith keys decode BYTES [ENTITY]')];
  const bytes = keyBytes(text, form ?? 'text');
  const results = models.map((model) => ({
    entity: model.name,
    table: model.table.name,
    key: keyJson(model, bytes),
    reason: model.key.foreignReason(bytes),
  }));
  if (terminal.isForPeople) {
    const printer = new RowPrinter(terminal, ['entity', 'key', 'reason'], { wide: true });
    printer.print(results);
    printer.end();
  } else for (const each of results) terminal.writeJsonLine(each);
  if (results.some(({ key }) => key !== undefined)) return exit.ok;
  terminal.note(`rowsmith: no entity decodes this key${otherForm(models, text, form)}`);
  return exit.failed;
}

/** The segments of a key in JSON form; undefined if the entity does not decode it. */
export function keyJson(
  model: EntityModel,
  bytes: Uint8Array,
): Readonly<Record<string, unknown>> | undefined {
  const values: Record<string, unknown> = {};
  if (!model.key.decoder()(bytes, 0, bytes.length, values)) return undefined;
  return Object.fromEntries(
    model.segments.map(({ property, type }) => {
      const value = values[property];
      return [property, value === null ? null : segmentTextForms[type.kind].format(value)];
    }),
  );
}

/** `; as --as hex it is a key of Order`, if so. */
function otherForm(
  models: readonly EntityModel[],
  text: string,
  form: KeyForm | undefined,
): string {
  for (const other of ['hex', 'base64', 'text'] as const) {
    if (other === (form ?? 'text')) continue;
    try {
      const bytes = keyBytes(text, other);
      const model = models.find(({ key }) => key.foreignReason(bytes) === undefined);
      if (model !== undefined) return `; with --as ${other} it is a key of ${model.name}`;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
    }
  }
  return '';
}
