import { z } from 'zod';
import { mapNames } from '../catalog/catalog.js';

/** What a column of observations holds. A `decimal` is exact. */
export type FieldKind = 'time' | 'whole' | 'decimal';
interface Described {
  readonly kind: FieldKind;
  readonly shape: z.ZodNullable<z.ZodNumber | z.ZodInt>;
}

const number = z.number().nullable();
const sizeOf = (side: string) => ({
  kind: 'decimal' as const,
  shape: number.meta({
    description: `Size at the best ${side} on the yes side, in contracts. Null if it is unknown, or if that side is empty`,
    examples: [300],
  }),
});

/**
 * What is observed of a market at a time, in the order of the columns. Stored batches, reads, files and moments have their
 * columns from here.
 */
const usual = {
  venue_ts: {
    kind: 'time',
    shape: number.meta({
      description: 'Time of the observation at the venue, in Unix seconds',
      examples: [1771993365.05],
    }),
  },
  seq: {
    kind: 'whole',
    shape: z
      .int()
      .nullable()
      .meta({ description: 'Sequence number from the venue', examples: [4711] }),
  },
  yes_best_bid: {
    kind: 'decimal',
    shape: number.meta({ description: 'Best bid on the yes side, as a fraction of 1', examples: [0.86] }),
  },
  yes_best_ask: {
    kind: 'decimal',
    shape: number.meta({ description: 'Best ask on the yes side, as a fraction of 1', examples: [0.87] }),
  },
  coin_price: { kind: 'decimal', shape: number.meta({ description: 'Coin price in USD', examples: [65541.895] }) },
} as const satisfies Record<string, Described>;
/** Fields that an answer has only if they are requested. A stored row with a book needs none of them: they follow from it. */
const sizes = {
  yes_best_bid_size: sizeOf('bid'),
  yes_best_ask_size: sizeOf('ask'),
} as const satisfies Record<string, Described>;

type UsualField = keyof typeof usual;
type SizeField = keyof typeof sizes;
export type ObservationField = UsualField | SizeField;

export const usualFields = Object.keys(usual) as readonly UsualField[];
export const sizeFields = Object.keys(sizes) as readonly SizeField[];
export const observationFields: readonly ObservationField[] = [...usualFields, ...sizeFields];
const all = { ...usual, ...sizes };
export const fieldKinds = mapNames(observationFields, (name): FieldKind => all[name].kind);

export const usualShapes = mapNames(usualFields, (name) => usual[name].shape);
export const sizeShapes = mapNames(sizeFields, (name) => sizes[name].shape.optional());
