import * as z from 'zod'
import { name } from '../../kernel/fields.ts'
import { calendarLimits as limits, parseWorldDate } from '../../kernel/world-calendar.ts'

// The calendar has no rows of its own: it lies on the campaign, so that what changes it is undone as any other change is.

/** A year, a month of it or a day: `412`, `412-10`, `412-10-9`. The month is named by its id in the calendar. */
export const worldDate = () =>
  z
    .string()
    .trim()
    .max(30)
    .refine((text) => parseWorldDate(text) !== null, 'a year, a month or a day, as 412, 412-10 or 412-10-9')

const monthId = z.number().gt(0).max(limits.monthId)
const leapRule = z.object({
  every: z.int().min(1).max(limits.leapEvery),
  days: z.int().min(-limits.days).max(limits.days),
  offset: z.int().min(0).max(limits.leapEvery).optional(),
})
const monthFields = {
  name: name(limits.name),
  days: z.int().min(0).max(limits.days),
  leap: z.array(leapRule).max(limits.leapRules).optional(),
  between: z.boolean().optional(),
}
export const calendarMonth = z.object({ id: monthId, ...monthFields })
export const givenMonth = z.strictObject({
  id: monthId.optional(),
  ...monthFields,
  leap: z.array(leapRule.strict()).max(limits.leapRules).optional(),
})
export const calendarMoon = z.object({
  name: name(limits.name),
  period: z.number().min(1).max(limits.moonPeriod),
  fullOn: z.string().trim().max(30),
})
export const calendarEra = z.object({
  name: name(limits.name),
  from: z.int().min(-limits.year).max(limits.year),
  restarts: z.boolean().optional(),
})
export const calendarParts = {
  weekdays: z.array(name(limits.name)).min(1).max(limits.weekdays),
  firstWeekday: z
    .int()
    .min(0)
    .max(limits.weekdays - 1),
  moons: z.array(calendarMoon).max(limits.moons),
  eras: z.array(calendarEra).max(limits.eras),
}

/** What a campaign keeps of its calendar. */
export const worldCalendar = z.object({
  months: z.array(calendarMonth).min(1).max(limits.months),
  ...calendarParts,
})
