/** What the suites of builds of an index share. */
import type { Database, Repository } from '../../../../src/index.js';
import { IndexStates } from '../../../../src/entities/derived/index.js';
import type { IndexModel } from '../../../../src/entities/model/index.js';
import type { BackEnd, OpenedBackEnd } from '../../repository/support/back-ends.js';
import { Order } from '../index/entities.js';

/** More rows than a page of a build or a deletion, which has 512. */
export const pageAndMore = 530;

export const key = (id: number) => ({ tenant: 'acme', id });

export const plainRows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: i + 1,
    email: `${i}@x`,
    customer: `c${i % 9}`,
  }));

interface BuildSuite {
  /** The database of the test. */
  readonly database: () => Database;
  readonly orders: () => Repository<typeof Order>;
  readonly indexNamed: (name: string) => IndexModel;
  /** As a program does that is started now. */
  readonly assertReady: (name: string) => Promise<void>;
}

/** Opens a database for each test. */
export function buildSuite(open: BackEnd['open']): BuildSuite {
  let opened: OpenedBackEnd;
  beforeEach(async () => void (opened = await open([Order])));
  afterEach(() => opened.close());
  const orders = () => opened.db.repository(Order);
  const indexNamed = (name: string): IndexModel =>
    orders().model.indexes.find((index) => index.name === name)!;
  return {
    database: () => opened.db,
    orders,
    indexNamed,
    assertReady: (name) =>
      new IndexStates(opened.db.engine).assertReady(orders().model, indexNamed(name)),
  };
}
