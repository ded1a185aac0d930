/** Entities of the demo: four kinds of rows in one table. Their keys start with different literals. */
import {
  accessPatterns,
  Column,
  ColumnMap,
  Counter,
  Entity,
  type EntityClass,
  enumOf,
  Field,
  LintIgnore,
  literal,
  maxVersions,
  Message,
  Packed,
  rowKey,
  Segment,
  aggregate,
  table,
  type Version,
  Versions,
} from 'rowsmith';

/** The table and its column families, for all four entities. */
const travel = table('travel', {
  families: {
    info: { gc: maxVersions(1) }, // keeps only the newest cell of a column
    posted: { gc: maxVersions(10) }, // keeps a history
    to: { gc: maxVersions(1) }, // one column for each destination
    total: aggregate('sum'), // storage adds up the written values
  },
});

/** How punctual a flight was; protobuf stores the number. */
export enum Punctuality {
  Unknown,
  Early,
  OnTime,
  Late,
  VeryLate,
}

/** A protobuf message, packed into one cell. Any protobuf program can read it. */
@Message('demo.Leg')
export class Leg {
  @Field(1, 'uint32') miles?: number;
  @Field(2, 'sint32') delayMinutes?: number;
  @Field(3, enumOf(Punctuality)) punctuality?: Punctuality;
}

@Message('demo.Position')
export class Position {
  @Field(1, 'double') latitude?: number;
  @Field(2, 'double') longitude?: number;
}

@Message('demo.Place')
export class Place {
  @Field(1, 'string') city?: string;
  @Field(2, 'string') state?: string;
  @Field(3, () => Position) position?: Position;
}

/** A flight by its airport of origin, newest first. */
@Entity({ table: travel, cellTimestamp: 'at' })
export class Departure {
  static readonly key = rowKey(literal('dep'), 'origin', 'at', 'destination', 'nth');
  static readonly patterns = accessPatterns({
    newest: { prefix: ['origin'], limit: 20, purpose: 'the board of an airport' },
    since: { prefix: ['origin'], since: 'at', purpose: 'the latest hours of an airport' },
  });

  @Segment('string', { maxLength: 4 }) origin!: string;
  /** Also the timestamp of the cells (`cellTimestamp`): the row can be read as of a time in 2001. */
  @Segment('timestamp', { order: 'desc' }) at!: Date;
  @Segment('string', { maxLength: 4 }) destination!: string;
  /**
   * 1 for a second flight on the same route in the same minute, otherwise 0. Without it, one flight
   * would overwrite the other.
   */
  @Segment('uint', { max: 9 }) nth!: number;

  @Column('info', 'int32') delay?: number;
  @Packed('info', () => Leg) leg?: Leg;
  @Versions('posted', 'int32') postedDelay?: Version<number>[];
}

/** The same flight by its route: a second order is a second row. */
@Entity({ table: travel, cellTimestamp: 'at' })
export class RouteFlight {
  static readonly key = rowKey(literal('route'), 'origin', 'destination', 'at', 'nth');

  @Segment('string', { maxLength: 4 }) origin!: string;
  @Segment('string', { maxLength: 4 }) destination!: string;
  @Segment('timestamp') at!: Date;
  @Segment('uint', { max: 9 }) nth!: number;

  @Column('info', 'int32') delay?: number;
}

@Entity({ table: travel, lint: { expect: { flightsTo: { maxEntries: 500 } } } })
export class Airport {
  static readonly key = rowKey(literal('airport'), 'iata');

  @Segment('string', { maxLength: 4 }) iata!: string;

  @Column('info', 'string') name?: string;
  @Packed('info', () => Place) place?: Place;
  /** Number of flights by destination: one column for each. */
  @ColumnMap('to', 'int32') flightsTo?: Map<string, number>;
  @Counter('total') departures?: bigint;
  @LintIgnore('F08', 'shows the difference to the aggregate above')
  @Counter('info')
  lookups?: bigint;
}

/** The average weather in one hour of the year. */
@Entity({ table: travel })
export class WeatherHour {
  static readonly key = rowKey(literal('weather'), 'station', 'at');

  @Segment('string', { maxLength: 4 }) station!: string;
  @Segment('timestamp') at!: Date;

  /** Degrees Celsius. */
  @Column('info', 'double') temperature?: number;
  /** Metres per second. */
  @Column('info', 'double') wind?: number;
  /** Hectopascal. */
  @Column('info', 'double') pressure?: number;
}

/** All entities of the database. */
export const entities: readonly EntityClass[] = [Departure, RouteFlight, Airport, WeatherHour];
