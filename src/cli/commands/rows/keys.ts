/** `rowsmith keys`: encodes, decodes and verifies row keys. */
import { printable, toHex, type FaultTexts } from '../../../base/index.js';
import type { EntityModel } from '../../../entities/model/index.js';
import { segmentTextForms } from '../../../data/text/index.js';
import {
  choice,
  type CommandContext,
  type CommandInput,
  count,
  defineCommand,
  only,
  UsageError,
} from '../../command.js';
import { loadProject } from '../../project/load-project.js';
import { findEntity } from '../entity.js';
import { keyBytes, type KeyForm, keyForms } from './input/key-bytes.js';
import { wholeKey } from './input/key-conditions.js';
import { findPattern, loadRead, readOptions } from './input/read-call.js';
import { keyPlace } from './input/read-query.js';
import { RowPrinter } from './output/row-printer.js';
import { verifyKeys } from './verify-keys.js';

const options = {
  as: only(
    ['encode', 'decode'],
    choice(
      'FORM',
      'hex, base64 or text, where other bytes than printable ASCII are \\xNN: the form of BYTES, ' +
        'default text; encode prints only this form',
      keyForms,
    ),
  ),
  index: only(['encode'], readOptions.index),
  sample: only(['verify'], count('ROWS', 'Read about so many keys of each table')),
  url: only(['verify'], readOptions.url),
};

type Input = CommandInput<typeof options>;

/** The command. */
export const command = defineCommand({
  usage: '(encode | decode | verify) ARGUMENTS [options]',
  about: `Encodes, decodes and verifies row keys.

  keys encode ENTITY (SEGMENT=VALUE... | JSON)
                     Print the row key of segment values
  keys decode BYTES [ENTITY]
                     Print the entities with keys of these bytes, and why other entities have none
  keys verify [ENTITY...]
                     Read the stored keys, and report those that no entity decodes, by reason:
                     do this before a row key schema is registered`,
  actions: ['encode', 'decode', 'verify'],
  arguments: [{ name: 'ARGUMENT', kind: { anyOf: ['entity', 'segment'] }, repeatable: true }],
  options,
  examples: [
    ['keys encode Order shop=oslo n=1', 'the key of a row'],
    ['keys decode oslo#0001', 'what a key is of'],
    ['keys decode 6f736c6f2330303031 --as hex Order', 'bytes in another form'],
    ['keys verify', 'all stored keys'],
  ],
  exits: {
    failed: 'decode: no entity decodes the key',
    different: 'verify: there are keys that no entity decodes',
  },
  json: {
    encode: '{ entity: string, hex: string, text: string, base64: string }',
    decode: `{ entity: string, table: string, key?: { [segment: string]: unknown },
      reason?: string }`,
    verify: `{ table: string, rows: number, sampled: boolean, undecodable: number,
      entities: { [entity: string]: number },
      reasons: { entity: string, reason: string, rows: number, keys: string[] }[] }`,
  },
  rows: true,
  run(input, context) {
    switch (input.action) {
      case 'encode':
        return encode(input, context);
      case 'decode':
        return decode(input, context);
      case 'verify':
        return verifyKeys(input.positionals, input.values, context);
    }
  },
});

async function encode(input: Input, context: CommandContext): Promise<undefined> {
  const { index, as: form } = input.values;
  const read = { values: { index }, positionals: input.positionals };
  const usage = 'rowsmith keys encode ENTITY SEGMENT=VALUE...';
  const { call, model } = await loadRead(read, { ...context, usage });
  const { terminal } = context;
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
}

async function decode(
  { values: { as: form }, positionals }: Input,
  context: CommandContext,
): Promise<'failed' | undefined> {
  if (positionals.length === 0 || positionals.length > 2) throw new UsageError(faults.tooManyWords);
  const [text, name] = positionals;
  const project = await loadProject(context);
  const { terminal } = context;
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
  if (results.some(({ key }) => key !== undefined)) return undefined;
  terminal.note(`rowsmith: no entity decodes this key${otherForm(models, text, form)}`);
  return 'failed';
}

/** The segments of a key in JSON form; undefined if the entity does not decode it. */
export function keyJson(
  model: EntityModel,
  bytes: Uint8Array,
): Readonly<Record<string, unknown>> | undefined {
  const values = model.key.decode(bytes);
  if (values === undefined) return undefined;
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

const faults = {
  tooManyWords: { problem: 'keys decode takes the bytes of one key, and at most one entity' },
} satisfies FaultTexts;
