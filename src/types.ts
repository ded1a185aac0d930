/**
 * Entry point `rowsmith/types`: types that results refer to. The compiler writes their names into
 * declaration files; programs need them only for code that works with any entity.
 */
export type {
  CheckEntity,
  OptionalPropertyDecoratorOf,
  PropertyDecoratorOf,
  SegmentValueOf,
} from '../decorators/index.js';
export type {
  CheckCopies,
  CheckIndexes,
  CheckRollups,
  ColumnModel,
  Constructor,
  CopyModel,
  Declared,
  EntityModel,
  EntityStatics,
  EntryColumns,
  EntryExpiry,
  EnumDeclaration,
  Fixed,
  FixedOf,
  HasCopies,
  HasRollups,
  IndexModel,
  ManagedProperties,
  OwnColumn,
  PatternModel,
  RollupModel,
  RowKeyOf,
  Scoped,
  SegmentModel,
  SourceModel,
  TableModel,
} from './entities/model/index.js';
export type {
  Answer,
  CollectionRange,
  CollectionRoot,
  CollectionRow,
  Deletable,
  DerivedQuery,
  Entities,
  KeyBounds,
  KeyConditions,
  KeyedRepository,
  NotWhole,
  QueryRoot,
  RangeQuery,
  SelectQuery,
} from './entities/repository/index.js';
