/**
 * Protobuf messages in cells: nested messages, repeated fields, maps, enums and oneofs. An older
 * program that rewrites a newer message keeps the fields it does not know.
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  Entity,
  enumOf,
  Field,
  MapField,
  maxVersions,
  Message,
  open,
  Packed,
  RepeatedField,
  rowKey,
  Segment,
} from 'rowsmith';

enum Surface {
  Unspecified,
  Asphalt,
  Concrete,
  Grass,
}

@Message('airfield.Runway')
class Runway {
  @Field(1, 'string') name?: string;
  @Field(2, 'uint32') metres?: number;
  @Field(3, enumOf(Surface)) surface?: Surface;
}

@Message('airfield.Airfield')
class Airfield {
  @Field(1, 'string') name?: string;
  @RepeatedField(2, () => Runway) runways?: Runway[];
  @MapField(3, 'string', 'double') frequencies?: Map<string, number>;
  /** At most one of a oneof is set. */
  @Field(4, 'string', { oneof: 'owner' }) company?: string;
  @Field(5, 'uint32', { oneof: 'owner' }) municipality?: number;
  @Field(6, 'timestamp') opened?: Date;
  @Field(7, 'int64') passengers?: bigint;
}

/** The same message in an older program. */
@Message('airfield.Airfield')
class OldAirfield {
  @Field(1, 'string') name?: string;
}

const options = { table: 'airfields', families: { d: { gc: maxVersions(1) } } };

@Entity(options)
class Site {
  static readonly key = rowKey('code');
  @Segment('string', { maxLength: 32 }) code!: string;
  @Packed('d', () => Airfield, { qualifier: 'airfield' }) airfield?: Airfield;
}

@Entity(options)
class OldSite {
  static readonly key = rowKey('code');
  @Segment('string', { maxLength: 32 }) code!: string;
  @Packed('d', () => OldAirfield, { qualifier: 'airfield' }) airfield?: OldAirfield;
}

const runway = (name: string, metres: number): Runway =>
  Object.assign(new Runway(), { name, metres, surface: Surface.Asphalt });
const airfield = Object.assign(new Airfield(), {
  name: 'Paine',
  runways: [runway('16R/34L', 2747), runway('16L/34R', 914)],
  frequencies: new Map([
    ['tower', 132.95],
    ['ground', 121.8],
  ]),
  municipality: 53,
  opened: new Date('1936-01-01'),
  passengers: 1_000_000n,
});

const folder = mkdtempSync(join(tmpdir(), 'rowsmith-'));
try {
  const url = `file:${folder}`;
  {
    await using db = await open(url, { entities: [Site] });
    const sites = db.repository(Site);
    await sites.save(sites.create({ code: 'PAE', airfield }));
    // Values are checked: nothing is rounded or truncated.
    const wrong = sites.create({ code: 'X', airfield: { runways: [{ metres: 12.5 }] } });
    await assert.rejects(sites.save(wrong), { code: 'INVALID_VALUE' });
    const both = sites.create({ code: 'X', airfield: { company: 'Boeing', municipality: 53 } });
    await assert.rejects(sites.save(both), { code: 'INVALID_VALUE' });
  }
  {
    await using db = await open(url, { entities: [OldSite] });
    const sites = db.repository(OldSite);
    const old = await sites.get({ code: 'PAE' });
    assert.ok(old?.airfield);
    old.airfield.name = 'Paine Field';
    await sites.save(old);
  }
  // The newer program again.
  await using db = await open(url, { entities: [Site] });
  const read = (await db.repository(Site).get({ code: 'PAE' }))?.airfield;
  console.log(read);
  assert.deepEqual(
    read,
    Object.assign(airfield, { name: 'Paine Field' }),
    'the old program kept the unknown fields',
  );
} finally {
  rmSync(folder, { recursive: true });
}
