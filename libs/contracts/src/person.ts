import { z } from 'zod';

/** An e-mail address as its owner writes it, without blanks around it. */
export const email = z.string().trim().max(254).pipe(z.email());

/**
 * Who is behind an account. It is kept where it can be erased, and never in an event, a log line or an error: whoever
 * handles one must not print it, but to the operator who asks for it.
 */
export const person = z.object({ email, name: z.string().min(1).max(120).nullable() });
export type Person = z.infer<typeof person>;

/** An account by its id, or by the address of its person in any case of letters. */
export const accountName = z.union([z.object({ account: z.string().min(1) }), z.object({ email })]);
export type AccountName = z.infer<typeof accountName>;
