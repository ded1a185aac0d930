/**
 * No kinds are named: they are inferred from design:type if the compiler emits it, else the faults
 * describe what to write.
 */
import {
  Column,
  Entity,
  Field,
  Message,
  Packed,
  Segment,
  describeEntity,
  rowKey,
} from 'rowsmith-under-test';

@Message()
class Note {
  @Field(1) text?: string;
}

@Entity({ table: 'events', families: { m: {} } })
class Event {
  static readonly key = rowKey('source', 'id', 'at');

  @Segment() source!: string;
  @Segment() id!: bigint;
  @Segment() at!: Date;
  @Column('m') urgent?: boolean;
  @Column('m') body?: Uint8Array;
  @Packed('m', () => Note) note?: Note;
}

try {
  console.log(String(describeEntity(Event)));
} catch (error) {
  const { faults } = (
    error as {
      details: { faults: { entity: string; property: string; problem: string; fix: string }[] };
    }
  ).details;
  for (const { entity, property, problem, fix } of faults)
    console.log(`${entity}.${property}: ${problem}; ${fix}`);
}
