import { variable } from '@almanac/runtime';
import { z } from 'zod';
import { parseRedisUrl, redisUrlForms } from './address.js';

export const redisVariables = {
  REDIS_URL: z
    .string()
    .refine((text) => parseRedisUrl(text) !== undefined, redisUrlForms)
    .describe('address of Redis or Valkey, of its Sentinels, or of a Redis Cluster: see [Redis](#redis)'),
  REDIS_USER: variable.text().optional().describe('user at Redis'),
  REDIS_PASSWORD: variable.text().optional().describe('password at Redis'),
  REDIS_CA: variable
    .text()
    .refine((text) => text.includes('-----BEGIN CERTIFICATE-----'), 'must be certificates in PEM form')
    .optional()
    .describe('certificates of the authority that signed those of Redis, in PEM form; default: those of Node'),
};
