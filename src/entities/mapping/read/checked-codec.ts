/** The codecs by which columns are read. */
import { type FaultTexts, valueText } from '../../../base/index.js';
import { CodecError } from '../../../data/cell/index.js';
import { type ColumnModel, membersText } from '../../model/index.js';

/** The codec of a column; of a closed enum, it rejects stored values that are no members. */
export function checkedCodec({ codec, rules }: ColumnModel): Pick<ColumnModel['codec'], 'decode'> {
  if (rules?.oneOf === undefined) return codec;
  const members = new Set(rules.oneOf);
  return {
    decode(bytes, start, end) {
      const value = codec.decode(bytes, start, end);
      if (members.has(value)) return value;
      throw new CodecError(faults.outsideOneOf(value, membersText([...members])));
    },
  };
}

const faults = {
  outsideOneOf: (value: unknown, members: string) => ({
    problem: `${valueText(value)} is not one of ${members}`,
    fix: 'add it to oneOf, or correct the row with patch()',
    shell: { fix: 'add it to oneOf, or correct the row with rowsmith patch' },
  }),
} satisfies FaultTexts;
