import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/appliance.page.css'

await styleSheet(url)
