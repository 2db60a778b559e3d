/** `npm run test:long`: the walks and the rounds that take minutes too, in full. */
export const long = process.env.TALEKEEPER_TEST_LONG === '1'

/** For tests whose work grows with the product: no machine is so slow that a case which goes on takes this long. */
export const walkLimitMs = long ? 3_600_000 : 1_200_000
