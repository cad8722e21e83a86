import { z } from 'zod';
import { time } from './values.ts';

export const signInLinkSchema = z.object({ path: z.string(), expiresAt: time });

export const signedInSchema = z.object({ proof: z.string() });

export const signedOutSchema = z.object({ signedOut: z.literal(true) });
