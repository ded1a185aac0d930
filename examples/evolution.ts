/**
 * A new version of a class reads rows of the old one: a renamed column, a new column, and a message
 * whose meaning changed.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AlsoReads, Column, Entity, Field, Message, open, Packed, rowKey, Segment } from 'rowsmith';

@Message('shop.Place')
class OldPlace {
  @Field(1, 'string') name?: string;
}

@Entity({ table: 'shops', families: { m: {} } })
class OldShop {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 32 }) id!: string;
  @Column('m', 'double', { qualifier: 'rent' }) rent?: number;
  @Packed('m', () => OldPlace) place?: OldPlace;
}

@Message('shop.Place')
class Place {
  @Field(1, 'string') name?: string;
  @Field(2, 'string') city?: string;
  @Field(15, 'uint32') version?: number; // absent in version 1
}

@Entity({ table: 'shops', families: { m: {} } })
class Shop {
  static readonly key = rowKey('id');
  @Segment('string', { maxLength: 32 }) id!: string;
  @AlsoReads('rent') @Column('m', 'double', { qualifier: 'euros' }) euros?: number;
  @Column('m', 'string', { default: 'open' }) state?: string;
  @Packed('m', () => Place, {
    version: 'version',
    upgrades: {
      1: (stored) =>
        Object.assign(stored, {
          name: stored.name?.split(', ')[0],
          city: stored.name?.split(', ')[1],
        }),
    },
  })
  place?: Place;
}

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
try {
  const before = await open(`file:${folder}`, { entities: [OldShop] });
  const old = Object.assign(new OldShop(), {
    id: 'a',
    rent: 900,
    place: Object.assign(new OldPlace(), { name: 'Tower, Paris' }),
  });
  await before.repository(OldShop).save(old);
  await before.close();
  console.log('written as', old);

  await using after = await open(`file:${folder}`, { entities: [Shop] });
  const shop = await after.repository(Shop).get({ id: 'a' });
  console.log('read as', shop);
  assert.deepEqual(
    [shop?.euros, shop?.state, shop?.place?.name, shop?.place?.city],
    [900, 'open', 'Tower', 'Paris'],
  );
} finally {
  rmSync(folder, { recursive: true });
}
