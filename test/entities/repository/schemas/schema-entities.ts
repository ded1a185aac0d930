/** Entities with schemas of zod, valibot and arktype, in both ways of declaring. */
import { type } from 'arktype';
import * as v from 'valibot';
import { z } from 'zod';
import {
  aggregate,
  Column,
  column,
  ColumnMap,
  columnMap,
  Counter,
  counter,
  defineEntity,
  Entity,
  Field,
  type Generated,
  indexes,
  indexOn,
  Message,
  Packed,
  packed,
  Revision,
  rowKey,
  type RowsmithError,
  Segment,
  type Version,
  Versions,
  versions,
} from '../../../../src/index.js';

@Message('schemas.Place')
export class Place {
  @Field(1, 'double') lat?: number;
  @Field(2, 'string') name?: string;
}

/** The schemas of one library for the same rules. */
const schemas = {
  zod: {
    email: z.email(),
    price: z.number().positive(),
    place: z.object({ lat: z.number().max(90).optional(), name: z.string().optional() }),
    span: z
      .object({ low: z.number().optional(), high: z.number().optional() })
      .refine(({ low = 0, high = 0 }) => low <= high, { path: ['high'], error: 'below low' }),
  },
  valibot: {
    email: v.pipe(v.string(), v.email()),
    price: v.pipe(v.number(), v.minValue(0.01)),
    place: v.object({
      lat: v.optional(v.pipe(v.number(), v.maxValue(90))),
      name: v.optional(v.string()),
    }),
    span: v.pipe(
      v.object({ low: v.optional(v.number()), high: v.optional(v.number()) }),
      v.forward(
        v.check(({ low = 0, high = 0 }) => low <= high, 'below low'),
        ['high'],
      ),
    ),
  },
  arktype: {
    email: type('string.email'),
    price: type('number > 0'),
    place: type({ 'lat?': 'number <= 90 | undefined', 'name?': 'string | undefined' }),
    span: type({ 'low?': 'number', 'high?': 'number' }).narrow(
      ({ low = 0, high = 0 }, context) =>
        low <= high || context.reject({ message: 'below low', path: ['high'] }),
    ),
  },
};

@Entity({
  table: 'zod',
  families: { m: {}, p: {}, h: {}, c: aggregate('sum') },
  schema: schemas.zod.span,
})
class ZodOffer {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byEmail: indexOn('email') });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string', { schema: schemas.zod.email, required: true, maxLength: 20 })
  email!: string;
  @Column('m', 'double') low?: number;
  @Column('m', 'double') high?: number;
  @Packed('m', () => Place, { schema: schemas.zod.place }) place?: Place;
  @ColumnMap('p', 'double', { schema: schemas.zod.price }) prices?: Map<string, number>;
  @Versions('h', 'double', { schema: schemas.zod.price }) history?: Version<number>[];
  @Counter('c') views?: Counter;
}

@Entity({
  table: 'valibot',
  families: { m: {}, p: {}, h: {}, c: aggregate('sum') },
  schema: schemas.valibot.span,
})
class ValibotOffer {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byEmail: indexOn('email') });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string', { schema: schemas.valibot.email, required: true, maxLength: 20 })
  email!: string;
  @Column('m', 'double') low?: number;
  @Column('m', 'double') high?: number;
  @Packed('m', () => Place, { schema: schemas.valibot.place }) place?: Place;
  @ColumnMap('p', 'double', { schema: schemas.valibot.price }) prices?: Map<string, number>;
  @Versions('h', 'double', { schema: schemas.valibot.price }) history?: Version<number>[];
  @Counter('c') views?: Counter;
}

@Entity({
  table: 'arktype',
  families: { m: {}, p: {}, h: {}, c: aggregate('sum') },
  schema: schemas.arktype.span,
})
class ArktypeOffer {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byEmail: indexOn('email') });
  @Segment('string') tenant!: string;
  @Segment('string') id!: string;
  @Column('m', 'string', { schema: schemas.arktype.email, required: true, maxLength: 20 })
  email!: string;
  @Column('m', 'double') low?: number;
  @Column('m', 'double') high?: number;
  @Packed('m', () => Place, { schema: schemas.arktype.place }) place?: Place;
  @ColumnMap('p', 'double', { schema: schemas.arktype.price }) prices?: Map<string, number>;
  @Versions('h', 'double', { schema: schemas.arktype.price }) history?: Version<number>[];
  @Counter('c') views?: Counter;
}

class Offer {
  tenant = '';
  id = '';
  email = '';
  low?: number;
  high?: number;
  place?: Place;
  prices?: Map<string, number>;
  history?: Version<number>[];
  views?: Counter;
}

const DefinedOffer = defineEntity(Offer, {
  table: 'defined',
  families: { m: {}, p: {}, h: {}, c: aggregate('sum') },
  schema: schemas.zod.span,
  key: rowKey('tenant', 'id'),
  segments: { tenant: 'string', id: 'string' },
  columns: {
    email: column('m', 'string', { schema: schemas.zod.email, required: true, maxLength: 20 }),
    low: column('m', 'double'),
    high: column('m', 'double'),
    place: packed('m', () => Place, { schema: schemas.zod.place }),
    prices: columnMap('p', 'double', { schema: schemas.zod.price }),
    history: versions('h', 'double', { schema: schemas.zod.price }),
    views: counter('c'),
  },
  indexes: indexes({ byEmail: indexOn('email') }),
});

/** The same entity, declared with each library and each way of declaring. */
export const offers = {
  zod: ZodOffer,
  valibot: ValibotOffer,
  arktype: ArktypeOffer,
  defineEntity: DefinedOffer as unknown as typeof ZodOffer,
};

/** Names that a service knows: asked for asynchronously. */
export const taken = new Set<string>();

@Entity({ table: 'accounts', families: { m: {}, r: {} } })
export class Account {
  static readonly key = rowKey('tenant', 'id');
  static readonly indexes = indexes({ byName: indexOn('tenant', 'name') });
  @Segment('string') tenant!: string;
  @Segment('uuid', { generate: 'uuidv7' }) id!: Generated<string>;
  @Column('m', 'string', {
    schema: z.string().refine(async (name) => Promise.resolve(!taken.has(name)), 'is taken'),
  })
  name?: string;
  @Revision('r') revision?: Revision;
}

/** The error of a call that fails. */
export async function thrown(call: () => unknown): Promise<RowsmithError> {
  try {
    await call();
  } catch (error) {
    return error as RowsmithError;
  }
  throw new Error('nothing failed');
}
