/**
 * A user's program. Compiled outside the repository against the packed package, as ESM and CommonJS,
 * with both kinds of decorators.
 */
import {
  Column,
  Entity,
  Field,
  Message,
  Packed,
  type Repository,
  RowsmithError,
  Segment,
  maxAge,
  maxVersions,
  open,
  rowKey,
} from 'rowsmith';

@Message('telemetry.Status')
class Status {
  @Field(1, 'string') firmware?: string;
  @Field(2, 'int64') uptimeMs?: bigint;
}

@Entity({
  table: 'telemetry',
  families: { m: { gc: maxVersions(1) }, s: { gc: maxAge('3650d') } },
})
export class Reading {
  static readonly key = rowKey('tenant', 'device', 'at');

  @Segment('string') tenant!: string;
  @Segment('string') device!: string;
  @Segment('timestamp', { order: 'desc' }) at!: Date;

  @Column('m', 'double') temperature?: number;
  @Packed('s', () => Status) status?: Status;
}

const minute = (n: number): Date => new Date(Date.UTC(2026, 0, 1, 0, n));

async function fill(url: string): Promise<void> {
  const db = await open(url, { entities: [Reading] });
  const readings = db.repository(Reading);
  for (let n = 0; n < 5; n++)
    await readings.save(
      readings.create({ tenant: 'acme', device: 'd1', at: minute(n), temperature: 20 + n / 2 }),
    );
  const status = new Status();
  status.firmware = '1.2';
  status.uptimeMs = 9007199254740993n;
  await readings.save(readings.create({ tenant: 'acme', device: 'd2', at: minute(0), status }));
  await print(db.repository(Reading));
  await db.close();
}

async function print(readings: Repository<typeof Reading>): Promise<void> {
  // Newest first. The ends are half a minute away from any row: whether they are inclusive does not
  // matter here.
  const some = readings
    .prefix({ tenant: 'acme', device: 'd1' })
    .between('at', new Date(+minute(1) - 30_000), new Date(+minute(3) + 30_000))
    .limit(2);
  for await (const r of some) console.log(r.device, r.at.toISOString(), r.temperature);
  const one = await readings.get({ tenant: 'acme', device: 'd2', at: minute(0) });
  console.log(
    one instanceof Reading,
    one?.status instanceof Status,
    one?.status?.firmware,
    String(one?.status?.uptimeMs),
  );
  try {
    // @ts-expect-error a gap in the key is an error for the compiler and at run time
    readings.prefix({ device: 'd1' });
  } catch (error) {
    console.log(error instanceof RowsmithError ? error.code : error);
  }
}

async function main(): Promise<void> {
  await fill('memory:');
  const url = `file:${process.argv[2]}`;
  await fill(url);
  const db = await open(url, { entities: [Reading] });
  await print(db.repository(Reading));
  await db.close();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
