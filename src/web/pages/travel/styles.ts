import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/travel.page.css'

await styleSheet(url)
