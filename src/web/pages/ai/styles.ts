import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/seat.page.css'

await styleSheet(url)
