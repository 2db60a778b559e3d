import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/rules.page.css'

await styleSheet(url)
